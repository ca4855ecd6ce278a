"""Maps the top-level Resources/ into the wheel as NoisyLabelSegLib/Resources; everything else is in pyproject.toml."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["NoisyLabelSegLib", "NoisyLabelSegLib.*"]), "NoisyLabelSegLib.Resources"],
    package_dir={"NoisyLabelSegLib.Resources": "Resources"},
    package_data={"NoisyLabelSegLib": ["py.typed"], "NoisyLabelSegLib.Resources": ["**/*"]},
)
