import { openToAppend, writing } from "./files.ts";

/** Appends JSON lines to an open file. */
export interface LineAppender {
  /** Resolves when the line is on disk. @throws LaconicError `run_unwritable`, which later calls throw too */
  append(line: unknown): Promise<void>;
  /** Waits for pending lines. */
  close(): Promise<void>;
}

/**
 * Opens a file to append JSON lines. One sync covers all lines that arrive while another sync runs.
 * @param bytes - bytes of whole lines; the rest of the file is cut off
 * @param advice - end of an error message
 * @throws LaconicError `run_unwritable`
 */
export async function appendLines(path: string, bytes: number, advice?: string): Promise<LineAppender> {
  const file = await writing(path, () => openToAppend(path, bytes), advice);
  let batch = "";
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  const write = async (): Promise<void> => {
    const text = batch;
    [batch, next] = ["", null];
    const writeBatch = async (): Promise<void> => {
      await file.appendFile(text);
      await file.datasync();
    };
    await writing(path, writeBatch, advice);
  };
  return {
    append(line) {
      batch += `${JSON.stringify(line)}\n`;
      if (next === null) {
        next = current.then(write);
        current = next;
        current.catch(() => undefined);
      }
      return next;
    },
    async close() {
      await current.catch(() => undefined);
      await file.close();
    },
  };
}
