#!/usr/bin/env node
// Entry of the command line, in JavaScript so that Node runs it from the repository and from a package.

// Loading the error reporting needs files and memory, and may fail outside an await, or without a message.
let shortage = "Node's loader stopped";
const sayShortage = (code) => {
  if (shortage === null || code !== 1) return;
  const limits = 'see "ulimit -n" for files, "ulimit -v" for memory';
  process.stderr.write(`laconic: not enough resources: ${shortage}; ${limits}\n`);
};
const openFilesLimit = () => Number(process.report.getReport().userLimits?.open_files?.soft ?? Infinity);
const giveUp = (error) => {
  // Node's loader reports an unreadable package.json as a missing module.
  const isUnread = error?.code === "ERR_MODULE_NOT_FOUND" && openFilesLimit() < 256;
  const isShort = isUnread || /\bE[MN]FILE\b|\bENOMEM\b|out of memory|allocat/iu.test(error?.message);
  shortage = isShort ? error.message : null;
  if (!isShort) throw error;
  process.exit(1);
};
process.once("exit", sayShortage);
process.once("uncaughtExceptionMonitor", () => (shortage = null)); // Node reports it
process.once("uncaughtException", giveUp);
try {
  const fromSource = import.meta.resolve("@laconic/core").endsWith(".ts");
  // The repository has only TypeScript. tsx is a dependency in both cases, for typed configurations.
  if (fromSource) (await import("tsx/esm/api")).register();
  const { runProcess } = await import(fromSource ? "../src/main.ts" : "../dist/main.js");
  process.off("uncaughtException", giveUp);
  await runProcess(() => (shortage = null));
  shortage = null;
} catch (error) {
  giveUp(error);
}
