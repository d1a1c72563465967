/** Bytes that are here, reported after every piece that arrives. */
export interface DownloadProgress {
  readonly file: string;
  readonly fileBytes: number;
  readonly fileTotal: number;
  /** Of all files of the snapshot; what the cache had counts from the start. */
  readonly bytes: number;
  readonly total: number;
}

/** Adds files up. @returns what to call with the bytes of one file that are here now, which may fall when it starts again */
export function progressOf(
  total: number,
  onProgress: ((progress: DownloadProgress) => void) | undefined,
): (file: string, fileTotal: number, fileBytes: number) => void {
  const byFile = new Map<string, number>();
  let bytes = 0;
  return (file, fileTotal, fileBytes) => {
    bytes += fileBytes - (byFile.get(file) ?? 0);
    byFile.set(file, fileBytes);
    onProgress?.({ file, fileBytes, fileTotal, bytes, total });
  };
}
