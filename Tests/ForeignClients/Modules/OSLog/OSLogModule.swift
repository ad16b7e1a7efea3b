// The newer name of the module os, which brings Foundation, too.
@_exported import Foundation
@_exported import os
