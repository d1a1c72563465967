// Asks the driver for its GPUs and tells the parent: a driver that crashes takes only this process along.
const fromSource = import.meta.resolve("@laconic/core").endsWith(".ts");
if (fromSource) (await import("tsx/esm/api")).register();
const { listGpus } = await import("@laconic/kernels-torch");
let answer;
try {
  answer = { gpus: listGpus() };
} catch (error) {
  answer = { missing: error instanceof Error ? error.message : String(error) };
}
process.send(answer, () => process.exit(0));
