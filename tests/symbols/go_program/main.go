// SPDX-License-Identifier: BSD-3-Clause
// A program with every kind of name that Go makes: methods, closures, generic functions, wrappers, generated comparisons.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"sort"
)

type pair struct {
	name  string
	value interface{}
}

type list[T any] struct {
	items []T
}

func (l *list[T]) add(item T) { l.items = append(l.items, item) }

func (l list[T]) each(use func(T)) {
	for _, item := range l.items {
		use(item)
	}
}

type byName []pair

func (b byName) Len() int           { return len(b) }
func (b byName) Less(i, j int) bool { return b[i].name < b[j].name }
func (b byName) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type holder struct {
	sort.Interface
	list[pair]
}

//go:noinline
func largest[T int | string | float64](items ...T) (most T) {
	for _, item := range items {
		if item > most {
			most = item
		}
	}
	return
}

func main() {
	pairs := list[pair]{}
	for i := 0; i < 9; i++ {
		pairs.add(pair{fmt.Sprint("n", 9-i), float64(i)})
	}
	h := holder{byName(pairs.items), pairs}
	sort.Sort(h)
	seen := map[pair]int{}
	total := 0
	h.each(func(one pair) {
		seen[one]++
		func() {
			defer func() { total++ }()
			if regexp.MustCompile("n[2-4]").MatchString(one.name) {
				total += 10
			}
		}()
	})
	text, err := json.Marshal(map[string]int{"total": total, "seen": len(seen)})
	if err != nil {
		os.Exit(1)
	}
	fmt.Println(string(text), largest(1, 3, 2), largest("a", "b"), largest(1.5, 2.5))
}
