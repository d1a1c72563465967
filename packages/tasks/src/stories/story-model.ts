/**
 * Where the language model of the story worlds is published: for whoever fetches it without opening a world.
 * @module @laconic/tasks/story-model
 */

/** A file of a model, as its repository has it. */
export interface ModelFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The language model of the story worlds: 260,000 weights, trained on TinyStories, in llama2.c's format. */
export interface StoryModel {
  /** A folder of a repository of the Hugging Face hub. */
  readonly hub: string;
  readonly revision: string;
  /** As its card says. */
  readonly licence: string;
  readonly checkpoint: ModelFile;
  readonly tokenizer: ModelFile;
}

/** Where the story model is published, and what its bytes are. */
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

/** The name under which a run finds the same bytes again. */
export const storyModelName: string = `hub:${storyModel.hub}@${storyModel.revision}`;
