// Sends the driver's GPUs to the parent. A crashing driver ends only this process.
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
