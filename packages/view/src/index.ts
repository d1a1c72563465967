/**
 * A dashboard over run folders, and a playground where a team trains in the browser.
 * @module @laconic/view
 */
export { createViewServer, openViewer } from "./viewer.ts";
export type { Viewer, ViewerOptions } from "./viewer.ts";
export type { TokenizerOf } from "./api.ts";
export { folderData } from "./data/folder-data.ts";
export type { Every, FolderDataOptions } from "./data/folder-data.ts";
export type { PageData, ViewData } from "./requests.ts";
export { folderId } from "./runs/find-folders.ts";
export { exportPage } from "./export/export-page.ts";
export type { ExportedPage, ExportOptions } from "./export/export-page.ts";
export { webFolder } from "./web-folder.ts";
export { pagePolicy, plainHeaders, staticFiles } from "./static-files.ts";
export type { StaticFiles } from "./static-files.ts";
export type * from "./protocol.ts";
