import * as z from "zod";
import type { Connection } from "./connection.ts";
import type { ServerFacts } from "./sampling-server.ts";

const modelList = z.object({
  data: z.array(
    z.object({ id: z.string(), parent: z.string().nullish(), max_model_len: z.number().nullish() }).loose(),
  ),
});
const versionReply = z.object({ version: z.string().nullish() }).loose();

/** Asks for health, the list of models, and the version where the server answers for it. */
export async function serverFacts(
  connection: Connection,
  versionPath: string,
  signal?: AbortSignal,
): Promise<ServerFacts> {
  const health = await connection.exchange("/health", null, signal);
  if (health.status !== 200) throw connection.refusal("/health", health);
  const { data } = await connection.ask("/v1/models", null, modelList, signal);
  const reply = await connection.exchange(versionPath, null, signal);
  return {
    version: reply.status === 200 ? (connection.read(versionPath, reply, versionReply).version ?? null) : null,
    contextLength: data[0]?.max_model_len ?? null,
  };
}

/** Loaded adapters are the models that have a parent. */
export async function adapterNames(connection: Connection, signal?: AbortSignal): Promise<readonly string[]> {
  const { data } = await connection.ask("/v1/models", null, modelList, signal);
  return data.filter(({ parent }) => typeof parent === "string").map(({ id }) => id);
}
