// What code imports as os.log is in the Swift module os.
