"""Reconciling: from any shown state to any wanted one, in the fewest operations, in order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.delivery.plan import Button, Create, Delete, Edit, EmbedPlan, FilePlan, MessagePlan, Operation
from bot.delivery.reconcile import Board, Shown

plans = st.lists(st.builds(MessagePlan, st.text("ab \n", min_size=1, max_size=3), st.booleans()), max_size=5)


def settle(board: Board, wanted: list[MessagePlan], ids: list[int], *, final: bool = True) -> list[Operation]:
    """Do what the board says until it has nothing more to say."""
    done: list[Operation] = []
    while (operation := board.next_operation(wanted, final=final)) is not None:
        match operation:
            case Create():
                ids.append(len(ids) + 1)
                board.created(operation, ids[-1])
            case Edit():
                board.edited(operation)
            case Delete(message_id):
                board.deleted(message_id)
        done.append(operation)
        assert len(done) < 50, "does not come to rest"
    return done


def texts(board: Board) -> list[str]:
    return [shown.plan.content.strip() for shown in board.shown]


@given(plans, plans)
def test_any_wanted_state_is_reached_from_any_shown_one_with_one_operation_a_difference(
    before: list[MessagePlan], after: list[MessagePlan]
) -> None:
    board, ids = Board(), list[int]()
    settle(board, [MessagePlan(plan.content) for plan in before], ids)
    done = settle(board, after, ids)
    assert texts(board) == [plan.content.strip() for plan in after]
    differences = sum(a.content.strip() != b.content.strip() for a, b in zip(before, after, strict=False))
    assert len(done) == differences + abs(len(before) - len(after))


def test_white_space_that_discord_trims_is_no_difference() -> None:
    board, ids = Board(), list[int]()
    settle(board, [MessagePlan("Hello")], ids)
    assert board.next_operation([MessagePlan("Hello \n")], final=True) is None


@pytest.mark.parametrize(
    ("wanted", "files_changed"),
    [
        (MessagePlan("Hello", embed=EmbedPlan("t", "d", 1)), False),
        (MessagePlan("Hello", buttons=(Button("stop"),)), False),
        (MessagePlan("Hello", files=(FilePlan("a.py", b"1"),)), True),
    ],
)
def test_what_stands_below_the_text_is_a_difference_too(wanted: MessagePlan, files_changed: bool) -> None:
    board, ids = Board(), list[int]()
    settle(board, [MessagePlan("Hello")], ids)
    assert settle(board, [wanted], ids) == [Edit(0, 1, wanted, files_changed)]
    assert settle(board, [MessagePlan("Hello")], ids) == [Edit(0, 1, MessagePlan("Hello"), files_changed)]


def test_files_that_are_the_same_do_not_change() -> None:
    board, ids = Board(), list[int]()
    settle(board, [MessagePlan("Hello", files=(FilePlan("a.py", b"1"),))], ids)
    wanted = MessagePlan("Hello there", files=(FilePlan("a.py", b"1"),))
    assert settle(board, [wanted], ids) == [Edit(0, 1, wanted, files_changed=False)]


def test_surplus_goes_first_and_what_stands_is_written_over() -> None:
    board, ids = Board([Shown(7, MessagePlan("old"))], surplus=[8, 9]), list[int]()
    wanted = [MessagePlan("new"), MessagePlan("more")]
    done = settle(board, wanted, ids, final=False)
    assert done == [Delete(8), Delete(9), Edit(0, 7, wanted[0]), Create(1, wanted[1])]


def test_a_settled_message_is_compared_again_only_when_asked_to() -> None:
    board, ids = Board(), list[int]()
    settle(board, [MessagePlan("a", settled=True)], ids)
    with_footer = [MessagePlan("a\n-# b")]
    assert board.next_operation([MessagePlan("a", settled=True)], final=True) is None
    assert board.next_operation(with_footer, final=True) is None
    board.compare_anew()
    assert board.next_operation(with_footer, final=True) == Edit(0, 1, with_footer[0])


def test_messages_that_can_be_edited_no_more_are_replaced_before_they_are_deleted() -> None:
    board, ids = Board(), list[int]()
    settle(board, [MessagePlan("a"), MessagePlan("b"), MessagePlan("c")], ids)
    wanted = [MessagePlan("a"), MessagePlan("B"), MessagePlan("c")]
    board.abandon_from(1)
    done = settle(board, wanted, ids)
    assert done == [Create(1, wanted[1], 1), Delete(2), Create(2, wanted[2], 1), Delete(3)]
    assert texts(board) == ["a", "B", "c"]


def test_a_preview_that_shrinks_deletes_nothing_and_the_final_state_does() -> None:
    board, ids = Board(), list[int]()
    settle(board, [MessagePlan("a"), MessagePlan("b")], ids)
    assert settle(board, [MessagePlan("A")], ids, final=False) == [Edit(0, 1, MessagePlan("A"))]
    assert settle(board, [MessagePlan("A")], ids) == [Delete(2)]


def test_a_slot_that_is_filled_again_is_another_message() -> None:
    """Else Discord takes the second post for the first one sent twice."""
    board, ids = Board(), list[int]()
    settle(board, [MessagePlan("a")], ids)
    settle(board, [], ids)
    assert settle(board, [MessagePlan("b")], ids) == [Create(0, MessagePlan("b"), 1)]


def test_a_replaced_message_goes_before_its_successor_is_edited_further() -> None:
    board, ids = Board(), list[int]()
    settle(board, [MessagePlan("a")], ids)
    board.abandon_from(0)
    create = board.next_operation([MessagePlan("ab")], final=False)
    assert isinstance(create, Create)
    board.created(create, 9)
    assert settle(board, [MessagePlan("abc")], ids, final=False) == [Delete(1), Edit(0, 9, MessagePlan("abc"))]


def test_what_could_not_be_replaced_stands_again() -> None:
    board, ids = Board(), list[int]()
    settle(board, [MessagePlan("a"), MessagePlan("b"), MessagePlan("c")], ids)
    board.abandon_from(1)
    create = board.next_operation([MessagePlan("a"), MessagePlan("B"), MessagePlan("c")], final=False)
    assert isinstance(create, Create)
    board.created(create, 9)
    board.take_back_abandoned()
    assert [shown.message_id for shown in board.shown] == [1, 9, 3]
    assert settle(board, [MessagePlan("a"), MessagePlan("B"), MessagePlan("c")], ids) == [Delete(2)]
