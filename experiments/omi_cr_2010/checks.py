def run_checks(out):
    pass
