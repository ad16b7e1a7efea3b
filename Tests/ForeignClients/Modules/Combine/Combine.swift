// OpenCombine under the name that code for Apple's platforms imports.
@_exported import OpenCombine
@_exported import OpenCombineDispatch
@_exported import OpenCombineFoundation
