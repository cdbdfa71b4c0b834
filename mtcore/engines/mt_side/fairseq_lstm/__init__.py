"""An LSTM with the attention of Bahdanau et al. (2015), "MLP", for fairseq: `--user-dir … --arch lstm_mlp`.

fairseq's own `lstm` has a projected dot product in its place. Everything else is fairseq's: layers, the
feeding of the attended state into the first layer, decoding.
"""

from __future__ import annotations

from typing import Any

import torch
from fairseq.models import register_model, register_model_architecture
from fairseq.models.lstm import LSTMModel, base_architecture
from torch import nn
from torch.nn import functional


class MlpAttention(nn.Module):
    """score(s, h) = vᵀ tanh(W s + U h), softmax over the source; then tanh(O [context; s])."""

    def __init__(self, state_size: int, source_size: int, output_size: int) -> None:
        super().__init__()
        self.state = _uniform(nn.Linear(state_size, state_size, bias=True))
        self.source = _uniform(nn.Linear(source_size, state_size, bias=False))
        self.score = _uniform(nn.Linear(state_size, 1, bias=False))
        self.output = _uniform(nn.Linear(state_size + source_size, output_size, bias=False))

    def forward(self, input: Any, source_hids: Any, encoder_padding_mask: Any) -> tuple[Any, Any]:
        """Attend: input [batch, state], source_hids [source, batch, source_size], mask [source, batch]."""
        hidden = torch.tanh(self.source(source_hids) + self.state(input).unsqueeze(0))
        scores = self.score(hidden).squeeze(2)
        if encoder_padding_mask is not None:
            scores = scores.float().masked_fill(encoder_padding_mask, float("-inf")).type_as(scores)
        weights = functional.softmax(scores, dim=0)
        context = (weights.unsqueeze(2) * source_hids).sum(dim=0)
        return torch.tanh(self.output(torch.cat((context, input), dim=1))), weights


def _uniform(layer: Any) -> Any:
    """Begin as all of fairseq's LSTM does."""
    for parameter in layer.parameters():
        parameter.data.uniform_(-0.1, 0.1)
    return layer


@register_model("lstm_mlp")
class LstmMlpModel(LSTMModel):
    """fairseq's LSTM with MLP attention."""

    @classmethod
    def build_model(cls, args: Any, task: Any) -> Any:
        """Build fairseq's model, then put the other attention in."""
        model = super().build_model(args, task)
        decoder = model.decoder
        if decoder.attention is not None:
            decoder.attention = MlpAttention(
                decoder.hidden_size, decoder.encoder_output_units, decoder.hidden_size
            )
        return model


@register_model_architecture("lstm_mlp", "lstm_mlp")
def lstm_mlp(args: Any) -> None:
    """Take fairseq's figures where none are given."""
    base_architecture(args)
