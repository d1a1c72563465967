import type { ModelFiles } from "../../packages/core/src/files/index.ts";

export function lateFiles(files: Promise<ModelFiles>): ModelFiles {
  return {
    exists: async (path) => (await files).exists(path),
    openToRead: async (path) => (await files).openToRead(path),
    openToWrite: async (path) => (await files).openToWrite(path),
  };
}
