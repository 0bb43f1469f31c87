"""exp"""
import numpy as np
from scipy.optimize import minimize
from bayleaf._native import _core
from bayleaf.tuning import held_out_loss, log_softmax
LAMS=(333.,33.,3.3,.33)
class Flat:
    def __init__(s, rows, num, V, most=200, maxiter=30, lams=LAMS):
        s.rows=rows; s.num=num; s.V=V; s.C=rows.classes; s.maxiter=maxiter; s.lams=lams
        s.maps={}; first=0
        for j in range(rows.n_columns):
            cnt=np.append(rows.columns.counts[j],0.)
            fine=np.minimum(rows.fine[:,j],len(cnt)-1); gap=(fine==len(cnt)-1).sum(); cnt[-1]=gap
            mp=np.full(len(cnt),-1)
            if rows.columns.numeric[j]: ok=np.array([len(cnt)-1]) if gap>=2 else np.array([],int)
            else:
                ok=np.flatnonzero(cnt>=2); ok=np.sort(ok[np.argsort(-cnt[ok],kind='stable')[:most]])
            if len(ok)==0: continue
            mp[ok]=first+np.arange(len(ok)); first+=len(ok); s.maps[j]=mp.astype(np.int32)
        s.n_cells=first
    def design(s, fine):
        n=len(fine)
        cells=np.stack([np.take(mp,fine[:,j],mode='clip') for j,mp in s.maps.items()]) if s.maps else np.zeros((0,n),np.int32)
        X=np.stack([np.take(v,fine[:,j],mode='clip') for v,j in zip(s.V,s.num)]) if s.num else np.zeros((0,n))
        return np.ascontiguousarray(cells,dtype=np.int32),np.ascontiguousarray(X)
    def fit(s, cells, X, y, w, lam, start):
        n=len(y); C=s.C; pen=np.full(len(start),lam); pen[:C]=1e-3*lam if False else 0.
        def f(t):
            g=np.zeros_like(t); v=_core.linear_loss(cells,X,y,C,w,t,g,1); return (v+.5*(pen*t)@t)/n,(g+pen*t)/n
        return minimize(f,start,jac=True,method='L-BFGS-B',options=dict(maxiter=s.maxiter,ftol=1e-6,gtol=1e-4,maxcor=8)).x
    def apply(s, cells, X, t):
        out=np.empty((cells.shape[1],s.C)); _core.linear_scores(cells,X,t,out,1); return out
    def crossfit(s, folds):
        r=s.rows; cells,X=s.design(r.fine); y=r.target; w=r.weights; n=len(y); size=s.C*(1+len(s.num)+s.n_cells)
        nc=np.bincount(y,minlength=s.C); t0=np.zeros(size); t0[:s.C]=np.log((nc+1)/(n+s.C))
        parts=[]
        for k in range(len(folds)):
            te=folds.fold==k; parts.append([np.ascontiguousarray(cells[:,~te]),np.ascontiguousarray(X[:,~te]),y[~te],None if w is None else w[~te],np.ascontiguousarray(cells[:,te]),np.ascontiguousarray(X[:,te]),te,t0])
        best=None; used=[]
        for lam in s.lams:
            o=np.empty((n,s.C))
            for p in parts:
                p[7]=s.fit(*p[:4],lam,p[7]); o[p[6]]=s.apply(p[4],p[5],p[7])
            o=np.clip(log_softmax(o),-20,0); l=held_out_loss(o,y,w)
            if best is not None and l>=best[0]: break
            best=(l,o); used.append(lam)
        t=t0
        for lam in used: t=s.fit(cells,X,y,w,lam,t)
        s.t=t; s.best=best[0]; s.used=used
        return best[1]
    def scores(s, fine):
        return np.clip(log_softmax(s.apply(*s.design(fine),s.t)),-20,0)
