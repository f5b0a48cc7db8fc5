"""Facility location with penalties: duals raised by events over sorted edges."""

import numpy as np

from nkmeans.kernels.jit import helper, kernel


@helper
def opening_time(costs, order, weight, fee, penalty, frozen, alpha, now):
    """When a facility is paid for, if every client that is not frozen goes on paying.

    `order` sorts the clients by their cost here. Infinite where that is after `penalty`.
    """
    paid, rate, offset = 0.0, 0.0, 0.0
    for e in range(order.shape[0]):
        j = order[e]
        c = costs[j]
        if rate > 0 and fee - paid + offset <= c * rate:
            break
        if c > penalty:
            return np.inf
        if not frozen[j]:
            rate += weight[j]
            offset += weight[j] * c
        elif alpha[j] > c:
            paid += weight[j] * (alpha[j] - c)
    return max((fee - paid + offset) / rate, now) if rate > 0 else np.inf


@kernel
def raise_duals(costs, order, weight, fee, penalty, alpha, opened):
    """The dual ascent of Jain and Vazirani (2001), with penalties (Charikar et al. 2001).

    All clients raise their duals at unit speed. A client freezes when it reaches an open
    facility or its penalty; a facility opens when what clients offer beyond their costs,
    times their weights, pays its fee. Clients only ever stop paying, so an opening time once
    computed can only move back: it is computed again when it is the next event, and not before.

    Parameters
    ----------
    costs : float64 array of shape (m, m), of a client (column) at a facility  # IN
    order : int32 array of shape (m, m), each row sorts that row of `costs`    # IN
    weight : float64 array of shape (m,), demand of the clients                # IN
    fee : cost of a facility                                                   # IN
    penalty : cost of leaving out a unit of demand                             # IN
    alpha : float64 array of shape (m,), the duals                             # OUT
    opened : int64 array of shape (m,), facilities in the order they opened    # OUT

    Returns
    -------
    n_opened : int
    """
    m = weight.shape[0]
    frozen = np.zeros(m, np.bool_)
    is_open = np.zeros(m, np.bool_)
    reach = np.empty(m, np.float64)  # when each client reaches an open facility
    opens = np.empty(m, np.float64)  # when each facility opens, or earlier
    known_at = np.zeros(m, np.int64)  # how many clients were frozen when that was computed
    for i in range(m):
        alpha[i] = 0.0
        reach[i] = np.inf
        opens[i] = opening_time(costs[i], order[i], weight, fee, penalty, frozen, alpha, 0.0)
    n_frozen, n_opened, now = 0, 0, 0.0
    while n_frozen < m:
        client, facility = -1, -1
        arrival, opening = penalty, np.inf
        for j in range(m):
            if not frozen[j] and reach[j] < arrival:
                client, arrival = j, reach[j]
            if not is_open[j] and opens[j] < opening:
                facility, opening = j, opens[j]
        if opening < arrival:
            if known_at[facility] < n_frozen:
                opens[facility] = opening_time(
                    costs[facility], order[facility], weight, fee, penalty, frozen, alpha, now
                )
                known_at[facility] = n_frozen
                continue
            now = opening
            is_open[facility] = True
            opened[n_opened] = facility
            n_opened += 1
            for j in range(m):
                if not frozen[j]:
                    reach[j] = min(reach[j], max(costs[facility, j], now))
        elif client >= 0:
            now = arrival
            frozen[client] = True
            alpha[client] = now
            n_frozen += 1
        else:
            for j in range(m):
                if not frozen[j]:
                    frozen[j] = True
                    alpha[j] = penalty
                    n_frozen += 1
    return n_opened


@kernel
def without_conflicts(costs, alpha, opened, n_opened, chosen):
    """A maximal set of open facilities such that no client pays for two of them.

    Returns
    -------
    n_chosen : int
    """
    m = alpha.shape[0]
    taken = np.zeros(m, np.bool_)
    n_chosen = 0
    for o in range(n_opened):
        i = opened[o]
        is_free = True
        for j in range(m):
            if taken[j] and alpha[j] > costs[i, j]:
                is_free = False
                break
        if is_free:
            for j in range(m):
                if alpha[j] > costs[i, j]:
                    taken[j] = True
            chosen[n_chosen] = i
            n_chosen += 1
    return n_chosen


@kernel
def surpluses(costs, weight, alpha, share, offset, out):
    """Write, for each facility, the sum of `w max(alpha - cost, 0)`.

    A client's cost is `offset + share * costs`.
    """
    for i in range(costs.shape[0]):
        total = 0.0
        for j in range(costs.shape[1]):
            total += weight[j] * max(alpha[j] - offset[j] - share * costs[i, j], 0.0)
        out[i] = total
