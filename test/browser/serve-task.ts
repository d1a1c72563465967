interface Scope {
  addEventListener(kind: "message", listener: (event: { readonly data: string }) => void): void;
  postMessage(message: unknown): void;
}

export function serveTask(work: (query: URLSearchParams) => Promise<unknown>): void {
  const scope = globalThis as unknown as Scope;
  const fail = (error: unknown): void =>
    scope.postMessage({ error: error instanceof Error ? `${error.stack}\n${String(error.cause)}` : String(error) });
  scope.addEventListener("message", ({ data }) => {
    work(new URLSearchParams(data)).then((result) => scope.postMessage({ result }), fail);
  });
}
