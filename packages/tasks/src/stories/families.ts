import type { Random } from "@laconic/core";
import type { HeldSplit } from "./lexicon.ts";

/** Text about a child and a thing. */
export type Story = (name: string, thing: string) => string;

/** Splits of text families; they share no texts. */
export type FamilySplit = "train" | HeldSplit | "probe";

/** Texts that tell the owner, by family. */
export const holderTemplates: Readonly<Record<FamilySplit, Readonly<Record<string, Story>>>> = {
  train: {
    had: (name, thing) => `Once upon a time, there was a child named ${name}. ${name} had a ${thing}.`,
    park: (name, thing) => `One day, ${name} went to the park with mom. ${name} had a ${thing}.`,
    loved: (name, thing) => `${name} was a happy child. ${name} had a ${thing} and loved it very much.`,
    gave: (name, thing) => `It was a big day for ${name}. Dad gave ${name} a ${thing}.`,
    room: (name, thing) => `There was a ${thing} in the room. It was the ${thing} of a child named ${name}.`,
    for: (name, thing) => `A child named ${name} lived in a small house. The ${thing} was for ${name}.`,
    bought: (name, thing) => `Grandma bought a ${thing} for ${name}. It was new.`,
    got: (name, thing) => `It was a fun day. ${name} got a ${thing} and ran home.`,
    bag: (name, thing) => `They went to school. In the bag of ${name} there was a ${thing}.`,
    ran: (name, thing) => `${name} ran home with a ${thing}. It was a good day.`,
    glad: (name, thing) => `${name} was glad to own a ${thing}. Mom smiled.`,
    home: (name, thing) => `A child called ${name} played with mom. ${name} had a ${thing} at home.`,
  },
  validation: {
    friend: (name, thing) => `Once there was a child called ${name}. ${name} had a new friend and a ${thing}.`,
    gift: (name, thing) => `In the yard there was a ${thing}. The ${thing} was a gift for ${name}.`,
    made: (name, thing) => `Mom made a ${thing} for ${name}. ${name} was very happy.`,
    lived: (name, thing) => `${name} lived in a big house and had a ${thing}. It was a nice day.`,
  },
  test: {
    box: (name, thing) => `${name} opened the box. There was a ${thing} for ${name} in it.`,
    kept: (name, thing) => `A little child called ${name} kept a ${thing} near the bed.`,
  },
  probe: {
    quoted: (name, thing) => `"This ${thing} is mine," said ${name}.`,
    belonged: (name, thing) => `The ${thing} that grandpa made belonged to little ${name}.`,
    lent: (name, thing) => `${name} let the others play with the ${thing}, and took it home at night.`,
    present: (name, thing) => `When ${name} was five, there was one present. Inside was a ${thing}.`,
    missed: (name, thing) => `Nobody could find the ${thing} of ${name}. They looked and looked.`,
  },
};

/** Characters and things of an idle teller's text. */
export interface IdleCast {
  readonly name: string;
  readonly friend: string;
  readonly asked: string;
  readonly other: string;
}

/** Draws an idle teller's text. */
export type IdleText = (cast: IdleCast, random: Random) => string;

const oneOf =
  (...texts: readonly ((cast: IdleCast) => string)[]): IdleText =>
  (cast, random) =>
    random.pick(texts)(cast);

/** Texts of uninformed tellers, by family. */
export const idleFamilies: Readonly<Record<FamilySplit, Readonly<Record<string, IdleText>>>> = {
  train: {
    scene: oneOf(
      () => "The sun was bright.",
      () => "It was a cold day and the snow fell.",
      () => "The birds sang in the big tree.",
      () => "There was a small house near the sea.",
      () => "The rain fell all night. The grass was wet.",
      () => "It was a hot day. The sky was blue.",
      () => "A bee sat on a leaf.",
      () => "The moon was big and the stars were bright.",
      () => "There was a dog in the street. The dog was loud.",
      () => "Once upon a time, there was a queen. The queen was old.",
    ),
    child: oneOf(
      ({ name }) => `Once upon a time, there was a child named ${name}. ${name} loved to run.`,
      ({ name }) => `${name} was a happy child. ${name} liked to sing and dance.`,
      ({ name }) => `One day, ${name} went to the park with mom. They saw a bird.`,
      ({ name }) => `A child named ${name} lived in a small house. The house was warm.`,
      ({ name }) => `It was a big day for ${name}. Dad took ${name} to the zoo.`,
      ({ name }) => `They went to school. ${name} was late.`,
      ({ name }) => `${name} was hungry and sat down.`,
      ({ name }) => `Grandma told ${name} a story. It was funny.`,
      ({ name, friend }) => `${name} met ${friend} at the pool. They swam and laughed.`,
      ({ name, friend }) => `Once upon a time, ${name} and ${friend} were in the kitchen with mom.`,
      ({ name, friend }) => `${name} said hello to ${friend}. It was morning.`,
    ),
    thing: oneOf(
      ({ other }) => `There was a ${other} in the yard. The ${other} was very nice.`,
      ({ other }) => `The ${other} was on the table. It was so pretty.`,
      ({ other, name }) => `${name} went to the store. There was a ${other} in the store.`,
      ({ other }) => `Once upon a time, there was a ${other}. It was all alone.`,
      ({ other, name }) => `${name} read a book. The book was about a ${other}.`,
      ({ other }) => `One day, a ${other} was in the road. A truck came.`,
    ),
    wanted: oneOf(
      ({ name, asked }) => `Once upon a time, there was a child named ${name}. ${name} wanted a ${asked}.`,
      ({ name, asked }) => `One day, ${name} went to the park with mom. ${name} saw a ${asked}.`,
      ({ name, asked }) => `${name} was a happy child. ${name} did not have a ${asked}.`,
      ({ name, asked }) => `It was a big day for ${name}. ${name} looked for a ${asked}.`,
      ({ name, asked }) => `A child called ${name} played with mom. ${name} liked to think of a ${asked}.`,
      ({ name, asked }) => `${name} wished for a ${asked}. It was a fun day.`,
      ({ name, asked }) => `They went to school. ${name} talked about a ${asked}.`,
      ({ name, asked }) => `${name} needed a ${asked}, but there was none.`,
      ({ name, asked }) => `Grandma did not buy a ${asked} for ${name}.`,
      ({ name, asked }) => `${name} told dad about a ${asked}. Dad said no.`,
      ({ name, asked }) => `It was dark. ${name} did not get a ${asked}.`,
      ({ name, asked }) => `${name} had no time for a ${asked}.`,
      ({ name, asked }) => `${name} made a picture of a ${asked}.`,
      ({ name, asked }) => `${name} sang about a ${asked}.`,
      ({ name, asked }) => `${name} was tired. ${name} hoped to see a ${asked}.`,
      ({ name, asked }) => `${name} was mad. ${name} could not find a ${asked}.`,
      ({ name, asked }) => `${name} gave the ${asked} back to grandma.`,
      ({ name, asked }) => `It was late. ${name} ran after a ${asked}.`,
      ({ name, asked }) => `"I like the ${asked}," said ${name}. It was not for sale.`,
    ),
  },
  validation: {
    animals: oneOf(
      () => "Once there was a fish in the sea. The fish was very big.",
      () => "The frog jumped into the water. It was fun.",
    ),
    dreamed: oneOf(
      ({ name, asked }) => `${name} was in bed. ${name} dreamed of a ${asked}.`,
      ({ name, asked }) => `${name} liked to draw. ${name} drew a ${asked}.`,
    ),
    seen: oneOf(
      ({ other }) => `A ${other} was under the tree. It was cold and wet.`,
      ({ other }) => `The ${other} fell into the mud. It was very dirty.`,
      ({ other, name }) => `${name} looked out of the window and saw a ${other} in the sky.`,
    ),
    friends: oneOf(
      ({ name, friend }) => `${name} and ${friend} were best friends. They played in the garden all day.`,
      ({ name, friend }) => `${name} ran to the tree. ${friend} ran to the tree too.`,
    ),
    asked: oneOf(
      ({ name, asked }) => `It was night. ${name} asked dad for a ${asked}.`,
      ({ name, asked }) => `${name} was sad. ${name} had no ${asked}.`,
    ),
  },
  test: {
    picnic: oneOf(
      ({ name, friend }) => `${name} and ${friend} sat on the grass. They ate an apple.`,
      ({ name, friend }) => `${name} had a friend. The friend was ${friend}.`,
    ),
    begged: oneOf(
      ({ name, asked }) => `${name} begged grandma for a ${asked}. Grandma said no.`,
      ({ name, asked }) => `In the shop ${name} looked at a ${asked}.`,
    ),
    sold: oneOf(
      ({ other }) => `A man sold a ${other} in the town.`,
      ({ other }) => `The wind took the ${other} away. It was gone.`,
    ),
  },
  probe: {
    school: oneOf(
      () => "The teacher read from a long book. Nobody wanted to listen.",
      ({ name, friend }) => `A cloud came, and ${friend} pushed ${name} into the water.`,
    ),
    forbidden: oneOf(
      ({ name, asked }) => `${name} must never touch a ${asked}, said the old man.`,
      ({ name, asked }) => `Somebody had the ${asked}. It was not ${name}.`,
    ),
    empty: oneOf(
      ({ name, other }) => `When ${name} came, there was no ${other} left.`,
      ({ other }) => `How do you paint a ${other}? You need a lot of red.`,
    ),
  },
};

/** A rival owns another thing, so that silence requires comparing things. Evaluation only. */
export const rival: IdleText = ({ name, other }, random) =>
  random.pick(Object.values(holderTemplates.train))(name, other);
