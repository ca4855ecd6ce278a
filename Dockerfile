# The command line with PyTorch, without 3D Slicer: docker build --tag noisylabelseg .
# docs/gpu.md describes its use, and how to choose a build of PyTorch.
FROM python:3.11-slim

ARG TORCH_OPTIONS=
WORKDIR /source
COPY requirements-torch.txt pyproject.toml setup.py README.md LICENSE ./
RUN pip install --no-cache-dir $TORCH_OPTIONS --requirement requirements-torch.txt
COPY NoisyLabelSegLib NoisyLabelSegLib
COPY Resources Resources
RUN pip install --no-cache-dir ".[networks,figures]"

RUN useradd --create-home reader
USER reader
WORKDIR /data
ENTRYPOINT ["noisylabelseg"]
CMD ["--help"]
