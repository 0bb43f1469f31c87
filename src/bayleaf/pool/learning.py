"""experimental"""
import time
import numpy as np
from bayleaf.data import Table
from bayleaf.tuning import *
from bayleaf.tuning.corrections import STRENGTHS as PATH
from .grids import FineColumns
from .networks import *
from .gaussians import *
from .interactions import *
from scipy.special import softmax

class Opt:
    cycles=3; gauss=True; featw=3.0; inter=((2,60),(3,60)); minc=3; folds=3; cross=5; path=PATH; maxiter=20; eps=True; lin=True; verbose=False; kap=0.; kpow=1.; patience=1; orderpen=2.; flatit=30; floor=0.
    def __init__(s,**k):
        for a,b in k.items(): assert hasattr(s,a); setattr(s,a,b)

def silent_columns(table, columns):
    n=table.n_rows; y=table.codes[:,-1]; C=int(table.arities[-1]); out=[]
    w=table.weights; hy=np.bincount(y,w,minlength=C).astype(float); hy/=hy.sum()
    for j in columns:
        g=table.codes[:,j]==table.missing_code
        if not g.any() or g.all(): out.append(1); continue
        t=np.stack([np.bincount(y[g],None if w is None else w[g],minlength=C),np.bincount(y[~g],None if w is None else w[~g],minlength=C)]).astype(float)
        e=t.sum(1,keepdims=True)*hy; ok=t>0
        out.append(int(2*(t[ok]*np.log(t[ok]/e[ok])).sum()<=(C-1)*np.log(t.sum())))
    return np.array(out,dtype=np.uint8)

class Pool:
    def __init__(s,**k): s.o=Opt(**k)
    def fit(s, table, centres, seed=0):
        o=s.o; T=[]; tm=time.process_time; t0=tm()
        columns=list(range(table.n_variables-1)); s.C=C=int(table.arities[-1])
        rows=s.rows=PoolRows(np.asfortranarray(table.codes[:,:-1]), FineColumns.of(table,columns), silent_columns(table,columns), table.codes[:,-1].astype(np.int32), C, table.weights, table.n_jobs)
        n,d=rows.n_rows,rows.n_columns; y=rows.target
        rng=np.random.default_rng(seed)
        folds=FoldOrder.of(stratified_folds(y,o.cross,seed+1),o.cross)
        info=measure(rows,folds); T.append(('info',tm()-t0)); t0=tm()
        nc=np.bincount(y,rows.weights,minlength=C).astype(float); s.logprior=np.log((nc+1)/(nc.sum()+C))
        nets=[];F=[];S=[]
        lp=np.empty((n,C))
        for k in range(o.cross):
            te=folds.fold==k; nk=np.bincount(y[~te],None if rows.weights is None else rows.weights[~te],minlength=C); lp[te]=np.log((nk+1)/(nk.sum()+C))
        S.append(lp)
        for plan in plans(d,n,o.cycles,rng):
            net,f=crossfit(plan,rows,folds,info); nets.append(net); F.append(f); S.append(f.sum(0,dtype=np.float64))
        T.append(('nets',tm()-t0)); t0=tm()
        num=[j for j in range(d) if rows.columns.numeric[j]]
        gs=[]
        s.num=num; s.vals=[]
        if o.gauss and num:
            for kind in (0,1):
                V=[np.append(normal_scores(rows.columns.counts[j]) if kind==0 else standardised(centres[j],rows.columns.counts[j]),0.) for j in num]
                s.vals.append(V)
                X=np.column_stack([np.take(v,rows.fine[:,j],mode='clip') for v,j in zip(V,num)])
                for own in (False,True):
                    g,sc=crossfit_gaussian(X,rows,folds,own); gs.append((kind,g)); S.append(sc)
        T.append(('gauss',tm()-t0)); t0=tm()
        if o.lin:
            from .flat import Flat
            V=[np.append(standardised(centres[j],rows.columns.counts[j]),0.) for j in num]
            g=Flat(rows,num,V); sc=g.crossfit(folds); s.flat=g; S.append(sc); T.append(('flat',tm()-t0)); t0=tm()
        S=np.stack(S); M=len(S)
        w0=np.full(M,.5/(M-1))
        W=s.W=fit_weights(S,y,w0,penalty=.1,sample_weight=rows.weights)
        A=W.scores(S)
        inner=FoldOrder.of(stratified_folds(y,o.folds,seed),o.folds); held=np.empty((n,C)); masks=[inner.fold==k for k in range(o.folds)]
        sw=rows.weights
        for te in masks:
            w=fit_weights(np.ascontiguousarray(S[:,~te]),y[~te],w0,penalty=.1,sample_weight=None if sw is None else sw[~te],start=W,max_iter=40); held[te]=w.scores(np.ascontiguousarray(S[:,te]))
        best=held_out_loss(held,y,sw); s.log=[('pool',best)]; O=log_softmax(held)
        T.append(('weights',tm()-t0)); t0=tm()
        s.u=None
        E=len(nets)
        if o.featw:
            U=np.zeros((d+1,n,C),dtype=np.float32); U[d]=W.weights[0]*lp+np.tensordot(W.weights[1+E:],S[1+E:],1)
            for q in range(E):
                if W.weights[1+q]>0: U[:d]+=np.float32(W.weights[1+q])*F[q]
            one=np.ones(d+1)
            for te in masks:
                w=fit_weights(np.ascontiguousarray(U[:,~te]),y[~te],one,penalty=o.featw,max_iter=60,sample_weight=None if sw is None else sw[~te]); held[te]=w.scores(np.ascontiguousarray(U[:,te]))
            l=held_out_loss(held,y,sw); s.log.append(('feat',l))
            if l<best:
                best=l; O=log_softmax(held); s.u=fit_weights(U,y,one,penalty=o.featw,max_iter=60,sample_weight=sw); A=s.u.scores(U)
            del U
        T.append(('feat',tm()-t0)); t0=tm()
        del F
        # corrections
        st=[dict(cells=np.zeros((0,n),np.int32),pen=np.zeros(0),cur=Correction.none(C),fams=[]) for _ in range(o.folds+1)]
        masks4=masks+[np.zeros(n,bool)]
        igrid=rows.columns.grid(min(PARTS,max(3,int(n**.5))),categories=24); icodes=igrid.codes(rows.fine)
        ncodes=nets[0].grid.codes(rows.fine)
        s.phases=[]; s.final=None
        def cells_of(grid,codes,sets,first,use):
            out=[];maps=[]
            for each in sets:
                k=np.zeros(n,np.int64)
                for j in each: k=k*grid.arities[j]+codes[:,j]
                size=int(np.prod(grid.arities[list(each)])); cnt=np.bincount(k[use],minlength=size)
                if grid is not igrid:
                    f=1
                    for j in each[::-1]:
                        if rows.silent[j]: cnt.reshape(-1,grid.arities[j],f)[:,-1,:]=0
                        f*=grid.arities[j]
                mp=np.full(size,-1,np.int64); ok=np.flatnonzero(cnt>=o.minc); mp[ok]=first+np.arange(len(ok)); first+=len(ok); out.append(mp[k].astype(np.int32)); maps.append(mp)
            return (np.stack(out) if out else np.zeros((0,n),np.int32)),maps,first
        for ph in ('nb',)+tuple(o.inter):
            tt=tm()
            if ph!='nb': allsets=best_sets(rows,igrid,icodes,np.exp(O),inner,*ph)
            T.append((f'choose{ph}',tm()-tt)); tt=tm()
            parts=[]
            for q in range(o.folds+1):
                sets=[(j,) for j in range(d)] if ph=='nb' else [x for x in allsets[q] if ('i',x) not in st[q]['fams']]
                grid,codes=(nets[0].grid,ncodes) if ph=='nb' else (igrid,icodes)
                use=np.ones(n,bool) if ph=='nb' else ~masks4[q]
                nc_,maps,nx=cells_of(grid,codes,sets,len(st[q]['pen']),use)
                cells=np.concatenate([st[q]['cells'],nc_]); order=1. if ph=='nb' else o.orderpen**(ph[0]-1)
                
                new_=np.full(nx-len(st[q]['pen']),order)
                if o.kap:
                    P_=np.exp(O); H_=(P_*(1-P_)).mean(1)*C/2; hh=np.zeros(nx)
                    for row_ in nc_: hh+=np.bincount(row_[(row_>=0)&use],H_[(row_>=0)&use],minlength=nx)
                    new_=new_*(1+o.kap*hh[len(st[q]['pen']):])**o.kpow
                rel=np.concatenate([np.zeros(len(st[q]['pen'])),new_]); fix=np.concatenate([st[q]['pen'],np.zeros(nx-len(st[q]['pen']))])
                parts.append(Part.of(CellProblem(A,cells,y,sw,rows.n_jobs),masks4[q],rel,fix,st[q]['cur'])); st[q]['new']=(cells,[('n' if ph=='nb' else 'i',x) for x in sets],maps)
            T.append((f'prep{ph}',tm()-tt)); tt=tm()
            if not any(len(p.relative) for p in parts): continue
            wk=walk(parts[:-1],y,sw,strengths=o.path,bound=best,max_iter=o.maxiter)
            T.append((f'walk{ph} {len(wk.losses)}',tm()-tt)); tt=tm()
            s.log+= [(ph,wk.losses)]
            if wk.loss<best:
                best=wk.loss; O=wk.scores
                cur=list(wk.corrections)+[follow(parts[-1],wk.strengths,o.maxiter)]
                for q in range(o.folds+1):
                    a=st[q]; a['cur']=cur[q]; a['pen']=parts[q].fixed+wk.strengths[-1]*parts[q].relative; a['cells'],fm,maps=a['new']; a['fams']=a['fams']+fm; a['maps']=a.get('maps',[])+maps
                s.final=(cur[-1],st[-1]['fams'],st[-1]['maps'])
            T.append((f'final{ph}',tm()-tt))
        s.igrid=igrid; s.nets=nets; s.gs=gs
        t0=tm()
        s.tables=[net.tables(rows) if W.weights[1+q]>0 else None for q,net in enumerate(nets)]
        T.append(('tables',tm()-t0))
        s.eps=0.
        s.oof=O
        if o.eps:
            p=np.exp(O)[np.arange(n),y]; e=1/(n+1); pr=np.exp(s.logprior)[y]
            for _ in range(50): r=e*pr/((1-e)*p+e*pr); e=(r.sum()+1)/(n+2)
            s.eps=e
        s.T=T; s.loss=best
        return s
    def score(s, fine):
        n=len(fine); C=s.C; W=s.W.weights; d=fine.shape[1]; E=len(s.nets)
        G=np.tile(W[0]*s.logprior,(n,1)); A=np.zeros((n,C))
        for q,net in enumerate(s.nets):
            if W[1+q]==0: continue
            Z=net.grid.codes(fine)
            for i,pa in enumerate(net.parents):
                k=np.zeros(n,np.int64)
                for j in pa: k=k*net.grid.arities[j]+Z[:,j]
                A+=(W[1+q]*(1 if s.u is None else s.u.weights[i]))*s.tables[q][i][k*net.grid.arities[i]+Z[:,i]]
        for t,(kind,g) in enumerate(s.gs):
            if W[1+E+t]>0:
                X=np.column_stack([np.take(v,fine[:,j],mode='clip') for v,j in zip(s.vals[kind],s.num)]); G+=W[1+E+t]*g.scores(X)
        if s.o.lin and W[-1]>0: G+=W[-1]*s.flat.scores(fine)
        A=A+G+s.W.bias if s.u is None else A+G*s.u.weights[d]+s.u.bias
        if s.final:
            cor,fams,maps=s.final; A=A*cor.scale+cor.bias
            Zn=s.nets[0].grid.codes(fine); Zi=s.igrid.codes(fine)
            for (kind,each),mp in zip(fams,maps):
                Z,gr=(Zn,s.nets[0].grid) if kind=='n' else (Zi,s.igrid)
                k=np.zeros(n,np.int64)
                for j in each: k=k*gr.arities[j]+Z[:,j]
                c=mp[k]; A+=np.where(c[:,None]>=0,cor.cells[c],0)
        return A
    def predict(s, fine):
        P=softmax(s.score(fine),axis=1); return (1-s.eps)*P+s.eps*np.exp(s.logprior)
