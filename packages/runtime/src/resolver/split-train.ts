import { isRecord, type UnknownRecord } from "@laconic/core";
import type { TrainConfig } from "@laconic/trainer";
import { ownKeyAt, type OwnValue } from "./own-keys.ts";
import { isReference } from "./reference.ts";

/** Parts training settings from the values among them, with what stands for each. */
export function splitTrain(train: UnknownRecord): {
  readonly settings: UnknownRecord;
  readonly own: readonly OwnValue[];
} {
  const own: OwnValue[] = [];
  return { settings: withStands(train, [], own), own };
}

function withStands(group: UnknownRecord, path: readonly string[], own: OwnValue[]): UnknownRecord {
  return Object.fromEntries(
    Object.entries(group).flatMap(([name, value]) => {
      const at = [...path, name];
      if (isReference(value)) {
        const key = ownKeyAt(at);
        if (!key) return [[name, value]]; // refused by its schema
        own.push({ path: at, reference: value });
        return key.stand === undefined ? [] : [[name, key.stand]];
      }
      return [[name, isRecord(value) ? withStands(value, at, own) : value]];
    }),
  );
}

/** The settings with the values at their keys again: what {@link splitTrain} parted. */
export function joinTrain(train: TrainConfig, own: readonly OwnValue[]): UnknownRecord {
  return own.reduce<UnknownRecord>((joined, { path, reference }) => withAt(joined, path, reference), { ...train });
}

function withAt(group: UnknownRecord, [name = "", ...rest]: readonly string[], value: unknown): UnknownRecord {
  const inner = group[name];
  return { ...group, [name]: rest.length === 0 ? value : withAt(isRecord(inner) ? inner : {}, rest, value) };
}
