// Package cluster runs the service as a big installation does, on one machine: a
// PostgreSQL, an S3, three servers of NATS, and svcd processes behind a load
// balancer.
//
// Its law: every part is a process of its own, listens on the loopback, keeps
// its address when it is ended and started again, and is gone with the cluster.
// What cannot be installed or built is needs.ErrMissing; a test that needs it is
// skipped loudly, and fails with CI=true.
package cluster
