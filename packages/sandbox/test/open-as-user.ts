// Opens the sandbox with the machine's Python as the current user, and prints the result.
import { createSandbox } from "@laconic/sandbox";
import { LaconicError } from "@laconic/core";

const looks = `
import os
print(os.path.exists("/proc"), os.path.exists("/sys"), os.path.exists("/dev"), sorted(os.listdir("/tmp")))
open("own", "w").write("x" * 10_000)
print(os.path.getsize("/tmp/own"))
`;

function say(result: Readonly<Record<string, unknown>>): void {
  process.stdout.write(JSON.stringify({ user: process.getuid?.(), ...result }));
}

try {
  const sandbox = await createSandbox({ kind: "bubblewrap", concurrency: 1, python: process.argv[2] ?? "python3" });
  const { status, stdout, stderr } = await sandbox.run({ code: looks });
  await sandbox.close();
  say({ status, stdout, stderr });
} catch (error) {
  if (!LaconicError.is(error)) throw error;
  say({ code: error.code, message: error.message });
}
