"""How far readers agree with each other, with the consensus of the others and with themselves."""

from NoisyLabelSegLib.agreement.settings import AgreementSettings
from NoisyLabelSegLib.agreement.study import StudyAgreement, agree_study

__all__ = ["AgreementSettings", "StudyAgreement", "agree_study"]
