/** Whoever asked is gone: there is nobody to tell. */
export class ClientGone extends Error {
  constructor(cause: unknown) {
    super("the client is gone", { cause });
    this.name = "ClientGone";
  }

  /** Read by nobody; 499 is nginx's number for it. */
  toResponse(): Response {
    return new Response(null, { status: 499 });
  }
}
