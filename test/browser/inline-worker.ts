// Training loop and engine in one worker.
import { createInlineEngine } from "../../packages/engine/src/index.ts";
import { createKernels } from "../../packages/engine/src/wasm/index.ts";
import { serveTask } from "./serve-task.ts";
import { fetchOptions, session, type SessionResult } from "./session.ts";
import { fetchPolicy } from "./shipped-policy.ts";

serveTask(async (): Promise<SessionResult> => {
  const files = await fetchPolicy();
  return session(await createInlineEngine([await createKernels(undefined)], { files }), files, await fetchOptions());
});
