// Package groupcommit lets many callers write to one database, each in a transaction
// as it sees it.
//
// SQLite has one writer, and each commit costs it an fsync. Callers that wait for the
// writer therefore share a transaction, a batch: one after the other runs its function on
// the one connection, each but the first within a savepoint, and one commit ends the batch
// for all. On Postgres each caller has a transaction of its own, behind the same types.
//
//   - Durability: Transact returns nil only after the commit, and an error of the
//     function only after the batch has ended.
//   - Isolation: the functions of a batch never run at the same time. A function sees
//     what earlier callers of its batch have written and not committed yet, so it must
//     tell nobody of what it reads before Transact has returned; OnCommit is for that.
//   - Failure: an error of the function rolls back to its savepoint. The other callers
//     of the batch are not affected.
//   - Panics: a panic or a runtime.Goexit counts as a failure, and goes on in the
//     goroutine of the caller that it belongs to.
//   - Lost batches: when the commit fails, or a statement fails in a way that may have
//     ended the transaction (a full disk), the batch is rolled back and each of its
//     callers runs again, once, in a transaction of its own. A function may therefore run
//     twice and must have no other effect than on its Tx.
//   - Cancellation: a caller whose context ends in the queue leaves it, and its function
//     does not run. A running statement of a batch is not interrupted, because SQLite
//     would roll back what the other callers did; the next statement is refused.
//   - Bounds: a batch takes in callers that wait in the queue already, up to 64 of them
//     and for 10 ms; it never waits for more. A caller waits 10 s for its turn at most,
//     then it gets ErrBusy.
//   - Retry: a conflict with another process (a deadlock, a lock on the file) is
//     returned. Whoever knows the errors of the database may call Transact again.
package groupcommit
