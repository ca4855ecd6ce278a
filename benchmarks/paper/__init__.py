"""The tables and figures of Zhang, Tanno et al. (NeurIPS 2020), each as a command: `noisylabelseg reproduce NAME`."""
