// Starts an endless program, reports that, and waits for it.
import { createSandbox } from "@laconic/sandbox";

const sandbox = await createSandbox({ concurrency: 1, limits: { seconds: 10_000 } });
const running = sandbox.run({ code: "while True: pass" });
process.stdout.write("running\n");
await running;
