import type { Random } from "@laconic/core";

/** Endless positions in epochs, each of which visits every item once in a new random order. */
export function inEpochs<T>(items: readonly T[], random: Random): (position: number) => T {
  const orders = new Map<number, readonly T[]>();
  return (position) => {
    const epoch = Math.floor(position / items.length);
    const order = orders.get(epoch) ?? random.split(`epoch:${epoch}`).shuffle(items);
    orders.delete(epoch - 2); // rollouts run ahead by less than an epoch
    orders.set(epoch, order);
    return order[position % items.length] as T;
  };
}
