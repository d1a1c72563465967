/**
 * Checkpoints and data sets of the Hugging Face hub in Python's cache: pinned, resumed, verified.
 * @module @laconic/hub
 */
export { checkpointFiles, openRemote, openSnapshot } from "./open-snapshot.ts";
export type { DownloadProgress, RemoteFile, RemoteFiles, Snapshot, SnapshotOptions } from "./open-snapshot.ts";
export { downloadFile } from "./download-file.ts";
export { hubEnvironment, type HubEnvironment } from "./hub-environment.ts";
