// Engine worker of an app, complete.
import { serveEngine } from "../../packages/engine/src/index.ts";
import { createKernels } from "../../packages/engine/src/wasm/index.ts";
import { fetchPolicy } from "./shipped-policy.ts";
import { lateFiles } from "./late-files.ts";

serveEngine({ kernels: { wasm: createKernels }, files: lateFiles(fetchPolicy()) });
