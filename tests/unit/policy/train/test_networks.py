import numpy as np
import pytest
import torch

from clause.policy.serve.checkpoint import WIDTHS, served
from clause.policy.serve.observations import CONTEXT, MASKED
from clause.policy.serve.reader import PatternReader, strangers, words
from clause.policy.train.demonstrations import serving_networks
from clause.policy.train.networks import Reading, RelationScorer, TrainedHops, exported
from clause.policy.train.warm_start import pattern_log_likelihood
from clause.reasoning.neighbourhood.port import RelationshipType
from tests.unit.policy.cinema import DIMENSION, NETWORK, actors


def reading(questions: int = 3, types: int = 5) -> Reading:
    torch.manual_seed(0)
    unit = torch.nn.functional.normalize
    present = torch.tensor([[True, True, False, False]] * questions)
    return Reading(
        unit(torch.randn(questions, DIMENSION), dim=-1),
        unit(torch.randn(questions, 4, DIMENSION), dim=-1),
        present,
        unit(torch.randn(types, DIMENSION), dim=-1),
        torch.zeros(types, dtype=torch.bool),
    )


def test_the_next_hop_and_stop_are_one_distribution() -> None:
    scorer = RelationScorer(NETWORK)
    encoded = scorer.encode(reading())
    assert torch.allclose(scorer.choices(encoded, encoded.start).exp().sum(dim=1), torch.ones(3), atol=1e-5)


def test_gradients_reach_every_part_of_the_scorer() -> None:
    scorer = RelationScorer(NETWORK)
    (-pattern_log_likelihood(scorer, reading(), [[[0, 1]], [[2]], [[3, 4], [1, 1]]]).mean()).backward()
    for name, parameter in scorer.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


def test_words_that_are_absent_change_nothing() -> None:
    scorer, given = RelationScorer(NETWORK).eval(), reading()
    other = given._replace(words=torch.where(given.present[..., None], given.words, 7.0))
    first, second = scorer.encode(given), scorer.encode(other)
    assert torch.allclose(scorer.choices(first, first.start), scorer.choices(second, second.start), atol=1e-5)


def test_the_order_of_types_only_permutes_their_scores() -> None:
    scorer, given = RelationScorer(NETWORK).eval(), reading()
    turned = given._replace(types=given.types.flip(0))
    first, second = scorer.encode(given), scorer.encode(turned)
    straight, reverse = scorer.choices(first, first.start), scorer.choices(second, second.start)
    assert torch.allclose(straight[:, :-1].flip(1), reverse[:, :-1], atol=1e-5)


def test_the_learned_path_does_not_speak_for_what_is_withheld_and_once_trained_not_against_it() -> None:
    scorer, given = RelationScorer(NETWORK), reading()
    odds = {}
    for withheld in (False, True):
        one = given._replace(withheld=torch.tensor([withheld] + [False] * 4))
        for training in (True, False):
            scorer.train(training)
            with torch.no_grad():
                logs = scorer.choices(scorer.encode(one), scorer.encode(one).start)
                odds[withheld, training] = logs - logs[:, -1:]
    assert torch.equal(odds[False, True], odds[False, False])
    assert torch.allclose(odds[True, True][:, 1:], odds[False, True][:, 1:], atol=1e-6), "the others keep their odds"
    alone, bounded, whole = odds[True, True][:, 0], odds[True, False][:, 0], odds[False, False][:, 0]
    assert torch.allclose(bounded, torch.maximum(alone, whole), atol=1e-6)
    assert not torch.allclose(alone, whole, atol=1e-3)


def test_strangers_are_names_far_from_those_of_training_where_most_are_near() -> None:
    near, far = np.eye(DIMENSION, dtype=np.float32)[:4], np.eye(DIMENSION, dtype=np.float32)[4:9]
    assert not strangers(near, near[:0]).any(), "nothing was learned: nothing is strange"
    assert strangers(np.concatenate((near, far[:2])), near).tolist() == [False] * 4 + [True] * 2
    assert not strangers(np.concatenate((near[:1], far)), near).any(), "a graph that names everything otherwise"


def test_likelihoods_add_up_over_the_patterns_of_a_question() -> None:
    scorer, given = RelationScorer(NETWORK).eval(), reading()
    both = pattern_log_likelihood(scorer, given, [[[0], [1, 2]]] * 3).exp()
    apart = sum(pattern_log_likelihood(scorer, given, [[pattern]] * 3).exp() for pattern in ([0], [1, 2]))
    assert torch.allclose(both, apart, atol=1e-6)


@pytest.mark.parametrize("masked", [0.0, 1.0])
def test_what_is_served_computes_what_was_trained(masked: float) -> None:
    trained, rng = actors(loud=True), np.random.default_rng(0)
    served = serving_networks(trained)
    for name, width in WIDTHS.items():
        options = rng.normal(size=(6, width)).astype(np.float32)
        context = rng.normal(size=len(CONTEXT)).astype(np.float32)
        context[MASKED] = masked
        owner = torch.zeros(6, dtype=torch.long)
        logits, _ = trained.network(name)(torch.from_numpy(options), torch.from_numpy(context)[None], owner)
        np.testing.assert_allclose(served[name].logits(options, context), logits.detach().numpy(), atol=1e-4)


def test_the_scorer_of_relationships_is_served_as_it_was_trained() -> None:
    torch.manual_seed(1)
    trained = RelationScorer(NETWORK).eval()
    for name, parameter in trained.named_parameters():
        if "norm" in name or name == "first":
            torch.nn.init.normal_(parameter)
    trained.familiar = torch.nn.functional.normalize(torch.randn(3, DIMENSION), dim=-1)
    given = reading(types=7)
    types = torch.cat((given.types, trained.familiar[:2], trained.familiar[:2]))
    arrays = [part.numpy() for part in (given.sentence, given.words, given.present, types)]
    torchs, ours = TrainedHops(trained).paths(*arrays), exported(trained).paths(*arrays)
    owner, hops = np.array([2, 0, 1, 2]), np.array([0, 6, 3, 8])
    states = torchs.start[owner]
    np.testing.assert_allclose(ours.start[owner], states, atol=1e-4)
    for _ in range(3):
        np.testing.assert_allclose(ours.choices(owner, states), torchs.choices(owner, states), atol=1e-4)
        np.testing.assert_allclose(ours.walk(states, hops), torchs.walk(states, hops), atol=1e-4)
        states = torchs.walk(states, hops)


def test_the_shipped_scorer_reads_alike_in_numpy_and_in_torch() -> None:
    rng = np.random.default_rng(0)

    def unit(*shape: int) -> np.ndarray:
        drawn = rng.normal(size=shape).astype(np.float32)
        return drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)

    masked = ["who directed it", "what is it"]
    vectors = {text: unit(384) for one in masked for text in (one, *words(one))}
    familiar = served().scorer.familiar
    types = {str(n): RelationshipType(str(n), "", "", familiar[n], familiar[n + 20]) for n in range(8)}
    ours, theirs = (PatternReader(served(backend=b).scorer).read(masked, vectors, types) for b in ("onnx", "torch"))
    for one, other in zip(ours, theirs, strict=True):
        assert [found.hops for found in one[:8]] == [found.hops for found in other[:8]]
        logs = [[found.log_probability for found in found_by] for found_by in (one, other)]
        np.testing.assert_allclose(*logs, atol=1e-4)


def test_what_is_learned_without_masks_moves_no_weight_of_its_own_under_masks() -> None:
    for name, width in WIDTHS.items():
        network = actors(loud=True).network(name)
        for masked in (0.0, 1.0):
            context = torch.ones(1, len(CONTEXT))
            context[0, MASKED] = masked
            network.zero_grad()
            network(torch.ones(2, width), context, torch.zeros(2, dtype=torch.long))[0].sum().backward()
            for layer in (network.by_option, network.by_context):
                always, under_masks = layer.weight.grad.abs().sum(dim=0).chunk(2)
                assert always.any()
                assert bool(under_masks.any()) is bool(masked)
