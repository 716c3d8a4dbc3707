package lexicon

import "strings"

// irregular are plurals with their singulars.
var irregular = pairs(`mice mouse, lice louse, dice die, men man, women woman, children child, feet foot, teeth tooth, geese goose, oxen ox,
	people person, lives life, wives wife, knives knife, leaves leaf, halves half, shelves shelf, wolves wolf, thieves thief, loaves loaf,
	calves calf, selves self, elves elf, scarves scarf, crises crisis, axes axis, bases basis, oases oasis, emphases emphasis, ellipses ellipsis,
	indices index, indexes index, vertices vertex, vertexes vertex, matrices matrix, matrixes matrix, appendices appendix, appendixes appendix,
	vortices vortex, cortices cortex, codices codex, helices helix, apices apex, directrices directrix,
	radii radius, stimuli stimulus, syllabi syllabus, foci focus, nuclei nucleus, fungi fungus, alumni alumnus, loci locus, cacti cactus,
	tori torus, calculi calculus, moduli modulus, bacilli bacillus, abaci abacus, termini terminus, genii genius, thesauri thesaurus, hippocampi hippocampus,
	phenomena phenomenon, criteria criterion, automata automaton, polyhedra polyhedron, tetrahedra tetrahedron, ganglia ganglion, mitochondria mitochondrion,
	bacteria bacterium, curricula curriculum, spectra spectrum, strata stratum, quanta quantum, momenta momentum, errata erratum, addenda addendum,
	memoranda memorandum, symposia symposium, millennia millennium, stadia stadium, aquaria aquarium, continua continuum, vacua vacuum, maxima maximum,
	minima minimum, optima optimum, extrema extremum, ova ovum, fora forum, referenda referendum, media medium, data datum, sera serum,
	corpora corpus, genera genus, opuses opus, schemata schema, stigmata stigma, lemmata lemma, stomata stoma, dogmata dogma,
	algae alga, larvae larva, pupae pupa, formulae formula, antennae antenna, vertebrae vertebra, nebulae nebula, alumnae alumna, lacunae lacuna,
	personae persona, supernovae supernova, hyphae hypha`)

var plurals = func() map[string][]string {
	m := map[string][]string{}
	for plural, singular := range irregular {
		m[singular] = append(m[singular], plural)
	}
	return m
}()

func pairs(list string) map[string]string {
	m := map[string]string{}
	for pair := range strings.SplitSeq(list, ",") {
		words := strings.Fields(pair)
		m[words[0]] = words[1]
	}
	return m
}

// notPlural end many words that are no plurals.
var notPlural = []string{"ss", "us", "is", "'s"}

// endings are those of regular plurals and of their singulars, the first that fits decides.
var endings = [][2]string{
	{"yses", "ysis"}, {"theses", "thesis"}, {"gnoses", "gnosis"}, {"ies", "y"}, {"sses", "ss"}, {"shes", "sh"}, {"ches",
		"ch"}, {"xes", "x"},
	{"zzes", "zz"}, {"oes", "o"}, {"s", ""},
}

// singular returns the singular of an English plural, and other words as they are. It need not be a
// word: it is the same for both.
func singular(w string) string {
	if s, ok := irregular[w]; ok {
		return s
	}
	if len(w) < 4 || w[len(w)-1] != 's' {
		if stem, ok := strings.CutSuffix(w, "women"); ok {
			return stem + "woman"
		}
		if stem, ok := strings.CutSuffix(w, "smen"); ok && stem != "" {
			return stem + "sman"
		}
		return w
	}
	for _, end := range notPlural {
		if strings.HasSuffix(w, end) {
			return w
		}
	}
	for _, e := range endings {
		if stem, ok := strings.CutSuffix(w, e[0]); ok {
			return stem + e[1]
		}
	}
	return w
}

// numberForms are the words that may be the singular or a plural of a word.
func numberForms(w string) []string {
	one := singular(w)
	forms := append([]string{one}, plurals[one]...)
	switch {
	case one == "":
	case strings.HasSuffix(one, "y"):
		forms = append(forms, one+"s", one[:len(one)-1]+"ies")
	case strings.HasSuffix(one, "sis"):
		forms = append(forms, one[:len(one)-2]+"es")
	case strings.ContainsRune("sxz", rune(one[len(one)-1])):
		forms = append(forms, one+"es")
	case strings.ContainsRune("ho", rune(one[len(one)-1])):
		forms = append(forms, one+"s", one+"es")
	case strings.HasSuffix(one, "man"):
		forms = append(forms, one+"s", one[:len(one)-2]+"en")
	default:
		forms = append(forms, one+"s")
	}
	return forms
}
