# Slicer's packager reads these variables; one that is missing would leave a hole in the extension's page.
foreach(name HOMEPAGE CATEGORY CONTRIBUTORS DESCRIPTION ICONURL SCREENSHOTURLS DEPENDS LICENSE_FILE README_FILE)
  if(NOT EXTENSION_${name})
    message(FATAL_ERROR "EXTENSION_${name} is not set")
  endif()
endforeach()
