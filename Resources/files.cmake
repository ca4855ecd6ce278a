# Every resource, so that none is missing from the installed extension; a test compares it with the tree.
set(RESOURCE_FILES
  Resources/Icons/NoisyLabelSeg.png
  Resources/panels/paper-erring.json
  Resources/panels/paper.json
  Resources/presets/brats.json
  Resources/presets/default.json
  Resources/presets/lidc.json
  Resources/presets/mnist.json
  Resources/presets/ms.json
  Resources/presets/paper-brats.json
  Resources/presets/paper-lidc.json
  Resources/presets/paper-mnist.json
  Resources/presets/paper-ms.json
  Resources/presets/quick.json
  Resources/requirements.txt
  Resources/schema/study.schema.json
)
