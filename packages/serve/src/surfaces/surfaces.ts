import type { Replies } from "../completer.ts";
import { messagesSurface } from "./messages.ts";
import { responsesSurface } from "./responses.ts";
import type { ChatAnswer, ChatHead, SaidMessage, Surface, SurfaceRequest } from "./surface.ts";

const surfaces: ReadonlyMap<string, Surface> = new Map([
  ["responses", responsesSurface],
  ["messages", messagesSurface],
]);

export function surfaceAt(address: string): Surface | undefined {
  const [path = ""] = address.split("?");
  return surfaces.get(path.slice(path.lastIndexOf("/") + 1));
}

export function throughSurface({ make, ...replies }: Replies, asked: SurfaceRequest, { errorOf }: Surface): Replies {
  return {
    ...replies,
    errorOf,
    async make(signal, send) {
      if (!send) return asked.whole((await make(signal, null)) as ChatAnswer);
      const writer = asked.writer(send);
      let hasBegun = false;
      const begin = (head: ChatHead): void => {
        if (!hasBegun) writer.begin(head);
        hasBegun = true;
      };
      const answer = (await make(signal, (sent) => {
        const chunk = sent as ChatHead & { readonly choices: readonly { readonly delta: Partial<SaidMessage> }[] };
        begin(chunk);
        const { content, tool_calls: calls = [] } = chunk.choices[0]?.delta ?? {};
        if (content) writer.text(content);
        for (const call of calls) writer.call(call);
      })) as ChatAnswer;
      begin(answer);
      writer.end(answer);
      return answer;
    },
  };
}
