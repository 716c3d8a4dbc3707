// Package groupcommit lets many callers write to one database, each in what it sees as a
// transaction of its own.
//
// SQLite has one writer, and each commit costs an fsync. Callers that wait for the writer
// therefore share a transaction, a batch: they run their functions one after another on
// the single connection, each but the first within a savepoint, and one commit ends the
// batch for all (group commit). On Postgres each caller has its own transaction, with the
// same types.
//
//   - Durability: Transact returns nil only after the commit, and an error of the
//     function only after the batch has ended.
//   - Isolation: the functions of a batch never run concurrently. A function sees
//     uncommitted writes of earlier callers of its batch, so it must not publish what it
//     reads before Transact has returned; use OnCommit for that.
//   - Failure: an error of the function rolls back to its savepoint. The other callers
//     of the batch are not affected.
//   - Panics: a panic or a runtime.Goexit counts as a failure and continues in the
//     goroutine of its caller.
//   - Lost batches: when the commit fails, or a statement fails in a way that may have
//     ended the transaction (a full disk), the batch is rolled back and each of its
//     callers runs again, once, in a transaction of its own. A function may therefore run
//     twice and must have no effect except through its Tx.
//   - Cancellation: a caller whose context ends while it is queued leaves the queue, and
//     its function does not run. A running statement of a batch is not interrupted,
//     because SQLite would roll back the work of the other callers; the next statement is
//     refused. On Postgres a caller whose context ends during the commit returns, and the
//     commit goes on: its outcome is unknown.
//   - Limits: a batch includes only callers that are already queued, at most 64 and for
//     10 ms; it never waits for more. A caller waits at most 10 s for its turn and then
//     gets ErrBusy.
//   - Retry: a conflict with another process (a deadlock, a lock on the file) is
//     returned. A caller that recognises the errors of the database may call Transact
//     again.
package groupcommit
