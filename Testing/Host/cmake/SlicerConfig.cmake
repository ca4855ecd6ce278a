# Stand-in for Slicer's build tree: the macros that the extension calls, installing as Slicer's do.
set(Slicer_FOUND TRUE)
set(Slicer_USE_FILE "${CMAKE_CURRENT_LIST_DIR}/UseSlicer.cmake")
set(Slicer_EXTENSION_GENERATE_CONFIG "${CMAKE_CURRENT_LIST_DIR}/ExtensionMetadata.cmake")
set(Slicer_EXTENSION_CPACK "${CMAKE_CURRENT_LIST_DIR}/ExtensionMetadata.cmake")
