import { randomFromSeed, type Random } from "@laconic/core";

/** Children that stories of training are about: short names that small story models write in one to three tokens. */
export const knownNames: readonly string[] = [
  ...["Lily", "Tom", "Tim", "Ben", "Sue", "Mia", "Max", "Sam", "Anna", "Jack", "Lucy", "Sara"],
  ...["Bob", "Amy", "Emma", "Jane", "John", "Mary", "Timmy", "Lila", "Jill", "Billy", "Daisy", "Molly"],
  ...["Nina", "Leo", "Rose", "Ella", "Joe", "Kate", "Fred", "Peter", "Jimmy", "Bobby", "Susie", "Sally"],
  ...["Tommy", "Jenny", "Mark", "Nick", "Zoe", "Dan", "Eva", "Rex", "Kim", "Roy", "Polly", "Charlie"],
];

/** Children that held-out stories are about, and none of training is. */
export const unseenNames: readonly string[] = [
  ...["Annie", "Mike", "Lisa", "Bella", "Sophie", "Jake", "Ruby", "Ted", "Alice", "Luke", "Penny", "Oscar"],
];

/** Things that a child has. */
export const things: readonly string[] = [
  ...["red ball", "big dog", "small cat", "toy car", "blue bird"],
  ...["pretty flower", "big box", "new hat", "little boat", "soft bear"],
];

/** A child and what it has. */
export interface Child {
  readonly name: string;
  readonly thing: string;
}

/** Where a child is from: `known` is held out but its name is one of training's, `unseen` has a name that no story of training has. */
export type StorySplit = "train" | "known" | "unseen";

/** Draws a child of one split; one pair of name and thing in eight is never learned on. */
export function drawChild(random: Random, split: StorySplit): Child {
  for (;;) {
    const child = { name: random.pick(split === "unseen" ? unseenNames : knownNames), thing: random.pick(things) };
    const isHeldOut = randomFromSeed(`stories ${child.name}/${child.thing}`).integer(8) === 0;
    if (split === "unseen" || isHeldOut === (split === "known")) return child;
  }
}
