import { existsSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { loadLibrary } from "./library.ts";

/** A library that every Linux has, and that is no PyTorch. */
const other = ["/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6", "/lib64/libm.so.6"].find((file) =>
  existsSync(file),
);

async function folderWith(files: readonly string[]): Promise<string> {
  const folder = await temporaryFolder();
  for (const file of files) await symlink(other as string, join(folder, file));
  return folder;
}

const options = { device: "cpu", tf32: false } as const;
const install = (libraries: string, version: string | null) =>
  ({ folder: libraries, libraries, version, cuda: false }) as Parameters<typeof loadLibrary>[0];

describe.skipIf(other === undefined)("a PyTorch that cannot be used", () => {
  test.for([
    ["2.5.1", "is 2.5.1; version 2.10 or newer is needed"],
    [null, "is of an old, unknown version; version 2.10 or newer is needed"],
  ] as const)("is too old: %s", async ([version, message]) => {
    const folder = await folderWith(["libc10.so", "libtorch_cpu.so"]);
    expect(() => loadLibrary(install(folder, version), options)).toFailWith("device_unavailable", message, { folder });
  });

  test("missing and invalid libraries are named", async () => {
    const folder = await folderWith(["libc10.so"]);
    const file = join(folder, "libtorch_cpu.so");
    expect(() => loadLibrary(install(folder, "2.13.0"), options)).toThrow(`${file}: file not found`);
    await writeFile(file, "not a library");
    expect(() => loadLibrary(install(folder, "2.13.0"), options)).toFailWith("device_unavailable", { file });
  });
});
