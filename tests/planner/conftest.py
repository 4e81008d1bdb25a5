"""The planner's matrices are small: threads of BLAS only wait for each other, most of all beside other tests."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
