const waiting = new Map<object, () => void>();
let isAsked = false;

/** Does the work in one of the next frames, one piece a frame, so that an input never waits for the pictures of all charts; newer work replaces the same owner's older. */
export function inTurn(owner: object, work: () => void): void {
  waiting.set(owner, work);
  if (!isAsked) requestAnimationFrame(next);
  isAsked = true;
}

/** Forgets what was to be done for an owner. */
export function notAnymore(owner: object): void {
  waiting.delete(owner);
}

function next(): void {
  isAsked = false;
  const [first] = waiting;
  if (first === undefined) return;
  waiting.delete(first[0]);
  if (waiting.size > 0) requestAnimationFrame(next);
  isAsked = waiting.size > 0;
  first[1]();
}
