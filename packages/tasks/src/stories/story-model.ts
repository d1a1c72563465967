/**
 * Location of the story tellers' language model.
 * @module @laconic/tasks/story-model
 */

export interface ModelFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Language model with 260,000 weights (TinyStories, llama2.c format). */
export interface StoryModel {
  /** Folder on the Hugging Face hub. */
  readonly hub: string;
  readonly revision: string;
  readonly licence: string;
  readonly checkpoint: ModelFile;
  readonly tokenizer: ModelFile;
}

/** Location and checksums. */
export const storyModel: StoryModel = {
  hub: "karpathy/tinyllamas/stories260K",
  revision: "0bd21da7698eaf29a0d7de3992de8a46ef624add",
  licence: "MIT",
  checkpoint: {
    name: "stories260K.bin",
    bytes: 1_056_540,
    sha256: "b0a507e7ad0f626624f17112325e66691f9076d622e1d3274d103d00299f2696",
  },
  tokenizer: {
    name: "tok512.bin",
    bytes: 6227,
    sha256: "037cb335abb25d1fa9e8ecae30ed2a3a8ace9302862ebcdc05d51a6bbb10c312",
  },
};

/** Pins the revision. */
export const storyModelName: string = `hub:${storyModel.hub}@${storyModel.revision}`;
