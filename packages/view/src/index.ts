/**
 * A dashboard over run folders, and a playground where a team trains in the browser.
 * @module @laconic/view
 */
export { createViewServer, openViewer, type Viewer, type ViewerOptions } from "./viewer.ts";
export type { TokenizerOf } from "./api.ts";
export { folderData, type Every, type FolderDataOptions } from "./data/folder-data.ts";
export type { PageData, ViewData } from "./requests.ts";
export { folderId } from "./runs/find-folders.ts";
export { exportPage, type ExportedPage, type ExportOptions } from "./export/export-page.ts";
export { webFolder } from "./web-folder.ts";
export { pagePolicy, plainHeaders, staticFiles, type StaticFiles } from "./static-files.ts";
export type * from "./protocol.ts";
