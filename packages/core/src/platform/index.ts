/**
 * Differences between Linux, macOS and Windows.
 * @module @laconic/core/platform
 */
export { openAppender } from "./appender.ts";
export { askPython, type PythonAnswer } from "./ask-python.ts";
export { systemClock, type Clock } from "./clock.ts";
export { exchange, readBytes, type Exchange } from "./exchange.ts";
export { fileLines, readJsonLines } from "./lines.ts";
export { makeFolder, makeFolderOnce, makeFolders, moveFile, removeFile, syncFolder, writing } from "./files.ts";
export { isSameSecret } from "./is-same-secret.ts";
export { moduleBeside } from "./module-beside.ts";
export { endProcessTree, findPython, isProcessAlive, npmCommand, pythonOf } from "./processes.ts";
export { unpackedBytes } from "./unpacked-bytes.ts";
export { systemOf, type Command, type System } from "./system.ts";
