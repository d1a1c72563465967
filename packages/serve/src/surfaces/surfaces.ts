import type { Replies } from "../completer.ts";
import { messagesSurface } from "./messages-request.ts";
import { responsesSurface } from "./responses-request.ts";
import type { ChatAnswer, ChatChunk, Surface, SurfaceRequest } from "./surface.ts";

const surfaces: ReadonlyMap<string, Surface> = new Map([
  ["responses", responsesSurface],
  ["messages", messagesSurface],
]);

/** The surface whose name ends a path or an address; undefined for OpenAI's chats and whatever is no surface. */
export function surfaceAt(address: string): Surface | undefined {
  const [path = ""] = address.split("?");
  return surfaces.get(path.slice(path.lastIndexOf("/") + 1));
}

/** The replies to a chat in the words of the surface that asked for it. */
export function throughSurface({ make, ...replies }: Replies, asked: SurfaceRequest, { errorOf }: Surface): Replies {
  return {
    ...replies,
    errorOf,
    async make(gone, send) {
      if (!send) return asked.whole((await make(gone, null)) as ChatAnswer);
      const writer = asked.writer(send);
      const answer = (await make(gone, (chunk) => writer.chunk(chunk as ChatChunk))) as ChatAnswer;
      writer.end(answer);
      return answer;
    },
  };
}
