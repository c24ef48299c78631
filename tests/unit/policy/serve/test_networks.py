import numpy as np
import torch

from clause.policy.serve.networks import WIDTHS, Reading, RelationScorer
from clause.policy.serve.observations import CONTEXT, MASKED
from clause.policy.train.demonstrations import serving_networks
from clause.policy.train.warm_start import pattern_log_likelihood
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
    scorer, near = RelationScorer(NETWORK), torch.eye(DIMENSION)[:4]
    far = torch.eye(DIMENSION)[4:9]
    assert not scorer.strangers(near).any(), "nothing was learned: nothing is strange"
    scorer.familiar = near
    assert scorer.strangers(torch.cat((near, far[:2]))).tolist() == [False] * 4 + [True] * 2
    assert not scorer.strangers(torch.cat((near[:1], far))).any(), "a graph that names everything otherwise"


def test_likelihoods_add_up_over_the_patterns_of_a_question() -> None:
    scorer, given = RelationScorer(NETWORK).eval(), reading()
    both = pattern_log_likelihood(scorer, given, [[[0], [1, 2]]] * 3).exp()
    apart = sum(pattern_log_likelihood(scorer, given, [[pattern]] * 3).exp() for pattern in ([0], [1, 2]))
    assert torch.allclose(both, apart, atol=1e-6)


def test_what_is_served_computes_what_was_trained() -> None:
    trained, rng = actors(loud=True), np.random.default_rng(0)
    served = serving_networks(trained)
    for name, width in WIDTHS.items():
        options = rng.normal(size=(6, width)).astype(np.float32)
        context = rng.normal(size=len(CONTEXT)).astype(np.float32)
        owner = torch.zeros(6, dtype=torch.long)
        logits, _ = trained.network(name)(torch.from_numpy(options), torch.from_numpy(context)[None], owner)
        np.testing.assert_allclose(served[name].logits(options, context), logits.detach().numpy(), atol=1e-4)


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
