"""Score lines with a causal language model of transformers: JSON lines in and out, the model loaded once.

    python causal_lm_runner.py --versions
    python causal_lm_runner.py --model FOLDER [--batch N] [--window N] [--device cpu]

In:  {"lines": [text, …]}
Out: {"scores": [[−Σ ln p, subwords counted, unknown subwords], …]} or {"error": words}.
Runs in the training environment and knows nothing of the platform.
"""

from __future__ import annotations

import argparse
import json
import sys

from answering import answer_lines, versions

PACKAGES = ("torch", "transformers", "numpy")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--versions", action="store_true")
    parser.add_argument("--model", default="")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--window", type=int, default=1024)
    parser.add_argument("--device", default="")
    options = parser.parse_args()
    if options.versions:
        print(json.dumps({"versions": versions(PACKAGES)}))
        return 0
    return answer_lines(
        lambda: Model(options), lambda model, given: model.score(given["lines"]), small_batch=2
    )


class Model:
    """A model with its tokeniser."""

    def __init__(self, options: argparse.Namespace) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.torch = torch
        self.device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
        self.tokeniser = AutoTokenizer.from_pretrained(options.model, local_files_only=True)  # nosec B615 # no download
        self.model = AutoModelForCausalLM.from_pretrained(  # nosec B615 # no download
            options.model, local_files_only=True, dtype=torch.float32
        )
        self.model.to(self.device).eval()
        self.batch, self.window = options.batch, options.window
        begin = self.tokeniser.bos_token_id
        self.begin = begin if begin is not None else self.tokeniser.eos_token_id
        self.unknown = self.tokeniser.unk_token_id
        if self.unknown in (self.tokeniser.bos_token_id, self.tokeniser.eos_token_id):
            self.unknown = None  # byte-level models know everything and name a mark that never stands for it

    def score(self, lines: list[str]) -> list[list[float]]:
        """Return −Σ ln p, subwords counted and unknown ones of each line; 0 of a blank line."""
        scores = [[0.0, 0, 0] for _ in lines]
        pieces = []
        for place, line in enumerate(lines):
            if line.strip():
                ids = self.tokeniser.encode(line, add_special_tokens=False)
                scores[place][2] = sum(one == self.unknown for one in ids)
                pieces += [(place, *piece) for piece in self.windows(ids)]
        pieces.sort(key=lambda piece: len(piece[1]))
        for start in range(0, len(pieces), self.batch):
            batch = pieces[start : start + self.batch]
            for (place, *_), (nll, counted) in zip(batch, self.nll(batch), strict=True):
                scores[place][0] += nll
                scores[place][1] += counted
        return scores

    def windows(self, ids: list[int]) -> list[tuple[list[int], int]]:
        """Cut a line into windows; each with the place of the first subword that counts in it."""
        if self.begin is not None:
            ids = [self.begin, *ids]
        if len(ids) < 2:
            return []
        found, counted = [], 1
        while counted < len(ids):
            start = 0 if len(ids) <= self.window or counted == 1 else counted - self.window // 2
            end = min(start + self.window, len(ids))
            found.append((ids[start:end], counted - start))
            counted = end
        return found

    def nll(self, batch: list[tuple[int, list[int], int]]) -> list[tuple[float, int]]:
        torch = self.torch
        longest = max(len(ids) for _, ids, _ in batch)
        given = torch.zeros(len(batch), longest, dtype=torch.long)
        mask = torch.zeros(len(batch), longest, dtype=torch.long)
        for row, (_, ids, _) in enumerate(batch):
            given[row, : len(ids)] = torch.tensor(ids)
            mask[row, : len(ids)] = 1
        given, mask = given.to(self.device), mask.to(self.device)
        with torch.no_grad():
            logits = self.model(input_ids=given, attention_mask=mask).logits
        found = []
        for row, (_, ids, first) in enumerate(batch):
            told = torch.log_softmax(logits[row, first - 1 : len(ids) - 1].float(), dim=-1)
            own = told.gather(1, given[row, first : len(ids)].unsqueeze(1))
            found.append((-float(own.double().sum()), len(ids) - first))
        return found


if __name__ == "__main__":
    sys.exit(main())
