import { isRecord, LaconicError, type ExampleMessage, type SupervisedExample } from "@laconic/core";
import { issueWords } from "@laconic/core/schemas";
import * as z from "zod";

const messageSchema: z.ZodType<ExampleMessage> = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.string(),
  weight: z.literal([0, 1]).exactOptional(),
});

const messages = z.array(messageSchema).min(1);
const owner = {
  agent: z.string().min(1).exactOptional(),
  policy: z.string().min(1).exactOptional(),
  source: z.string().exactOptional(),
};

/** Forms of examples. Other columns of a row are ignored. */
const forms = {
  chat: z.object({ messages, ...owner }),
  text: z.object({ prompt: z.string(), completion: z.string(), ...owner }),
  conversation: z.object({ prompt: messages, completion: messages, ...owner }),
};

/** Columns that change what a model reads or learns, and that are not supported. */
const unread: readonly string[] = ["tools", "functions", "documents", "images", "chat_template_kwargs"];

/**
 * An example in one of the field's forms.
 * @param place - file and row, or where else it is from
 * @throws LaconicError `data_invalid` naming the place and what is wrong
 */
export function parsedExample(row: unknown, place: string): SupervisedExample {
  const refuse = (reason: string): never => {
    throw new LaconicError("data_invalid", `${place}: ${reason}`, { place });
  };
  if (!isRecord(row)) return refuse("an example is an object, with messages, or with prompt and completion");
  const form = "messages" in row ? forms.chat : Array.isArray(row["prompt"]) ? forms.conversation : forms.text;
  if (!("messages" in row) && !("prompt" in row && "completion" in row))
    refuse("it has neither messages nor prompt and completion");
  const stray = unread.find((name) => row[name] !== undefined && row[name] !== null);
  if (stray !== undefined) refuse(`${stray} is not read; write what the model is to see into the messages`);
  for (const list of [row["messages"], row["prompt"], row["completion"]])
    if (Array.isArray(list)) checkMessages(list, refuse);
  const parsed = form.safeParse(row, { error: issueWords });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuse(`${issue?.path.join(".")}: ${issue?.message}`);
  }
  const example = parsed.data as SupervisedExample;
  if (example.agent !== undefined && example.policy !== undefined)
    refuse("it names an agent and a policy; name one, whose policy learns it");
  return { ...example, source: example.source ?? place };
}

/** Refuses forms of hosted models that have no text. */
function checkMessages(list: readonly unknown[], refuse: (reason: string) => never): void {
  for (const [i, message] of list.entries()) {
    const { content, tool_calls: calls } = (message ?? {}) as Readonly<Record<string, unknown>>;
    if (Array.isArray(calls) && calls.length > 0)
      refuse(`message ${i}: tool_calls are not read; write them into content as the model's template does`);
    if (Array.isArray(content)) refuse(`message ${i}: content is a list of parts; write it as one text`);
  }
}
