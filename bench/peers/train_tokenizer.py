"""Trains a byte-level BPE tokenizer: text on standard input, `train_tokenizer.py FOLDER VOCABULARY`. Every byte is a token of its own,
so that a vocabulary of 258 merges nothing."""

import sys

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

folder, vocabulary = sys.argv[1], int(sys.argv[2])
tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.decoder = decoders.ByteLevel()
trainer = trainers.BpeTrainer(
    vocab_size=vocabulary,
    special_tokens=["<s>", "</s>"],
    initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    show_progress=False,
)
tokenizer.train_from_iterator(sys.stdin.buffer.read().decode().split("\n"), trainer)
tokenizer.save(f"{folder}/tokenizer.json")
print(tokenizer.get_vocab_size())
