import { LaconicError } from "@laconic/core";
import { memoryFileSystem, type FileSystem } from "@laconic/core/files";
import { expect, test } from "vitest";
import { manifestOfRun, readSettings } from "./run-manifest.ts";

const fails = async (): Promise<never> => {
  throw Object.assign(new Error("EIO: made to fail"), { code: "EIO" });
};

test.each([manifestOfRun, readSettings])(
  "a failing disk is reported as such, not as a missing run: %o",
  async (read) => {
    for (const broken of [{ exists: fails }, { exists: async () => true, read: fails }]) {
      const fs: FileSystem = { ...memoryFileSystem(), ...broken };
      const error: unknown = await read(fs, "/run").catch((each: unknown) => each);
      expect(LaconicError.is(error) && [error.code, error.detail["reason"]]).toEqual(["data_invalid", "EIO"]);
    }
  },
);
