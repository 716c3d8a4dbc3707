package demo

import "github.com/octavo-books/octavo/domain/money"

// subject is a department. Its course codes begin with code, and a new book costs about
// price.
type subject struct {
	code   string
	price  money.Amount
	topics [topicsPerSubject]string
}

const topicsPerSubject = 12

var subjects = [...]subject{
	{"ACCT", 140_00, [...]string{
		"Financial Accounting", "Cost Accounting", "Auditing", "Taxation", "Corporate Reporting", "Budgeting", "Forensic Accounting",
		"Governmental Accounting", "Accounting Information Systems", "Business Valuation", "Consolidated Statements",
		"International Standards",
	}},
	{"ANTH", 62_00, [...]string{
		"Cultural Anthropology", "Human Evolution", "Ethnographic Fieldwork", "Archaeological Method", "Kinship", "Ritual and Belief",
		"Medical Anthropology", "Economic Anthropology", "The Anthropology of Food", "Material Culture", "Migration", "Visual Anthropology",
	}},
	{"ART", 74_00, [...]string{
		"Drawing", "Color", "Renaissance Painting", "Modern Sculpture", "Printmaking", "Photography", "Typography", "Islamic Art",
		"Contemporary Art", "Museum Studies", "Paul Cézanne", "Video and Installation",
	}},
	{"ASTR", 118_00, [...]string{
		"Stellar Structure", "Galactic Dynamics", "Cosmology", "Planetary Science", "Observational Astronomy", "Radio Astronomy",
		"Exoplanets", "Compact Objects", "The Interstellar Medium", "Celestial Mechanics", "Spectroscopy of Stars", "Gravitational Waves",
	}},
	{"BIOL", 152_00, [...]string{
		"Cell Biology", "Genetics", "Molecular Biology", "Ecology", "Evolution", "Microbiology", "Immunology", "Neurobiology",
		"Developmental Biology", "Plant Physiology", "Marine Biology", "Bioinformatics",
	}},
	{"BME", 146_00, [...]string{
		"Biomechanics", "Biomaterials", "Medical Imaging", "Physiological Systems", "Tissue Engineering", "Biomedical Instrumentation",
		"Neural Engineering", "Drug Delivery", "Biosensors", "Rehabilitation Engineering", "Cardiac Devices", "Medical Optics",
	}},
	{"CHE", 158_00, [...]string{
		"Transport Phenomena", "Chemical Thermodynamics", "Reaction Engineering", "Process Control", "Separation Processes",
		"Polymer Science", "Process Design", "Heterogeneous Catalysis", "Electrochemical Systems", "Colloids and Surfaces",
		"Process Safety", "Biochemical Engineering",
	}},
	{"CHEM", 156_00, [...]string{
		"General Chemistry", "Organic Chemistry", "Inorganic Chemistry", "Physical Chemistry", "Analytical Chemistry", "Biochemistry",
		"Quantum Chemistry", "Spectroscopy", "Organometallic Chemistry", "Chemical Kinetics", "Medicinal Chemistry",
		"Environmental Chemistry",
	}},
	{"CSC", 98_00, [...]string{
		"Algorithms", "Data Structures", "Operating Systems", "Computer Networks", "Databases", "Compilers", "Machine Learning",
		"Computer Graphics", "Cryptography", "Distributed Systems", "Programming Languages", "Computer Architecture",
	}},
	{"DANC", 48_00, [...]string{
		"Choreography", "Dance History", "Ballet Technique", "Movement Analysis", "Improvisation", "Kinesiology for Dancers",
		"West African Dance",
		"Dance Criticism", "Stage Lighting", "Dance Notation", "Somatic Practice", "Tango",
	}},
	{"ECE", 149_00, [...]string{
		"Circuit Analysis", "Signals and Systems", "Digital Logic", "Electromagnetics", "Microelectronics", "Control Systems",
		"Communication Systems", "Power Electronics", "Embedded Systems", "Antennas", "Digital Signal Processing", "Photonics",
	}},
	{"ECON", 134_00, [...]string{
		"Microeconomics", "Macroeconomics", "Econometrics", "Game Theory", "Public Finance", "International Trade", "Labor Economics",
		"Industrial Organization", "Development Economics", "Monetary Policy", "Behavioral Economics", "Economic History",
	}},
	{"EDUC", 58_00, [...]string{
		"Curriculum Design", "Educational Psychology", "Classroom Assessment", "Early Literacy", "Special Education", "School Leadership",
		"Multilingual Classrooms", "Adolescent Development", "Science Teaching", "The History of Schooling", "Learning Technologies",
		"Teacher Research",
	}},
	{"ENGL", 42_00, [...]string{
		"The Victorian Novel", "Shakespeare", "American Poetry", "Rhetoric", "Creative Writing", "Medieval Literature",
		"Postcolonial Fiction", "Literary Theory", "The Short Story", "Modern Drama", "Nonfiction Prose", "The Brontës",
	}},
	{"ENVS", 88_00, [...]string{
		"Climate Science", "Hydrology", "Soil Science", "Conservation", "Environmental Policy", "Geographic Information Systems",
		"Renewable Energy", "Air Quality", "Waste Management", "Sustainable Cities", "Ocean Systems", "Environmental Justice",
	}},
	{"FREN", 52_00, [...]string{
		"French Grammar", "French Phonetics", "French Cinema", "The French Enlightenment", "Francophone Africa", "Molière",
		"Québec and Its Letters", "Business French", "French Translation", "Les Misérables", "French Composition", "Surrealism",
	}},
	{"GEOL", 112_00, [...]string{
		"Mineralogy", "Structural Geology", "Sedimentology", "Geophysics", "Petrology", "Paleontology", "Geochemistry", "Geomorphology",
		"Volcanology", "Hydrogeology", "Plate Tectonics", "Field Geology",
	}},
	{"HIST", 46_00, [...]string{
		"Ancient Rome", "Medieval Europe", "The Atlantic World", "Modern China", "The Ottoman Empire", "The Civil War", "The Cold War",
		"Latin America", "Colonial India", "The Industrial Revolution", "Public History", "Historical Method",
	}},
	{"LAW", 128_00, [...]string{
		"Constitutional Law", "Contracts", "Torts", "Criminal Procedure", "Property", "Evidence", "Civil Procedure", "International Law",
		"Administrative Law", "Intellectual Property", "Legal Writing", "Family Law",
	}},
	{"LING", 68_00, [...]string{
		"Phonology", "Syntax", "Semantics", "Morphology", "Sociolinguistics", "Language Acquisition", "Historical Linguistics",
		"Psycholinguistics", "Pragmatics", "Field Methods", "Sign Languages", "Corpus Linguistics",
	}},
	{"MATH", 126_00, [...]string{
		"Calculus", "Linear Algebra", "Differential Equations", "Real Analysis", "Abstract Algebra", "Number Theory", "Topology",
		"Complex Analysis", "Discrete Mathematics", "Numerical Analysis", "Differential Geometry", "Graph Theory",
	}},
	{"ME", 154_00, [...]string{
		"Statics", "Dynamics", "Thermodynamics", "Fluid Mechanics", "Heat Transfer", "Machine Design", "Vibrations", "Solid Mechanics",
		"Manufacturing Processes", "Finite Elements", "Robotics", "Combustion",
	}},
	{"MKTG", 122_00, [...]string{
		"Marketing Management", "Consumer Behavior", "Brand Strategy", "Market Research", "Advertising", "Digital Marketing", "Pricing",
		"Sales Management", "Services Marketing", "Retailing", "Product Development", "Marketing Analytics",
	}},
	{"MUSC", 66_00, [...]string{
		"Harmony", "Counterpoint", "Orchestration", "Music History", "Jazz Improvisation", "Ear Training", "Conducting",
		"Form and Analysis", "Electronic Music", "World Music", "Antonín Dvořák", "Music Cognition",
	}},
	{"NURS", 138_00, [...]string{
		"Fundamentals of Nursing", "Pharmacology", "Pathophysiology", "Pediatric Nursing", "Community Health", "Psychiatric Nursing",
		"Maternal Health", "Health Assessment", "Critical Care", "Nursing Research", "Gerontology", "Nutrition",
	}},
	{"PHIL", 44_00, [...]string{
		"Logic", "Ethics", "Epistemology", "Metaphysics", "Political Philosophy", "The Philosophy of Mind", "Ancient Philosophy",
		"The Philosophy of Science", "Aesthetics", "Existentialism", "Kant", "Bioethics",
	}},
	{"PHYS", 148_00, [...]string{
		"Classical Mechanics", "Electricity and Magnetism", "Quantum Mechanics", "Statistical Physics", "Optics", "Solid State Physics",
		"Nuclear Physics", "General Relativity", "Particle Physics", "Waves and Oscillations", "Mathematical Physics", "Plasma Physics",
	}},
	{"POLS", 72_00, [...]string{
		"Comparative Politics", "International Relations", "American Government", "Political Theory", "Public Policy", "Electoral Systems",
		"Security Studies", "Political Economy", "Human Rights", "Middle East Politics", "Urban Politics", "Survey Research",
	}},
	{"PSYC", 116_00, [...]string{
		"Cognitive Psychology", "Social Psychology", "Abnormal Psychology", "Developmental Psychology", "Personality",
		"Learning and Memory", "Perception", "Health Psychology", "Psychological Testing", "Clinical Methods", "Motivation",
		"Behavioral Neuroscience",
	}},
	{"SPAN", 50_00, [...]string{
		"Spanish Grammar", "Spanish Conversation", "Cervantes", "Gabriel García Márquez", "Spain after Franco", "Medical Spanish",
		"Andean Cultures", "Spanish Linguistics", "Mexican Cinema", "Spanish Composition", "Caribbean Literature",
		"Translation into Spanish",
	}},
	{"STAT", 132_00, [...]string{
		"Probability", "Statistical Inference", "Regression", "Bayesian Data Analysis", "Experimental Design", "Time Series",
		"Multivariate Analysis", "Survey Sampling", "Stochastic Processes", "Survival Analysis", "Nonparametric Methods",
		"Statistical Computing",
	}},
	{"THEA", 47_00, [...]string{
		"Acting", "Directing", "Stagecraft", "Playwriting", "Costume Design", "Theatre History", "Voice and Speech", "Dramaturgy",
		"Musical Theatre", "Lighting Design", "Commedia dell’Arte", "Arts Management",
	}},
}

// forms are formats of a title with a topic.
var forms = [...]string{
	"%s", "Introduction to %s", "Principles of %s", "Foundations of %s", "Essentials of %s", "%s: Concepts and Cases",
	"%s: Theory and Practice", "A First Course in %s", "%s for Beginners", "Advanced %s", "Understanding %s", "Lectures on %s",
	"%s: A Reader", "Problems in %s", "%s in Context", "Exploring %s", "%s: A Workbook", "A Concise Guide to %s", "Modern %s",
	"Perspectives on %s",
}

var surnames = [...]string{
	"Abara", "Adeyemi", "Ahlström", "Alvarez", "Amari", "Andrade", "Aoki", "Arslan", "Baptiste", "Barlow", "Bauer", "Becker", "Bianchi",
	"Bjørnson",
	"Blake", "Bouchard", "Brandt", "Calloway", "Campos", "Castillo", "Chandra", "Chen", "Cho", "Côté", "Cruz", "Dahl", "Das", "Delacroix",
	"Demir",
	"Diallo", "Dimitrov", "Donovan", "Dubois", "Eriksen", "Espinoza", "Fairbanks", "Farouk", "Ferrari", "Fischer", "Fontaine", "Fujita",
	"Gallagher",
	"Garza", "Gupta", "Haddad", "Hansen", "Harlow", "Hashimoto", "Hoffmann", "Holloway", "Huang", "Ibrahim", "Ivanova", "Jansen", "Jimenez",
	"Johansson", "Kaya", "Keller", "Khalil", "Kim", "Kovács", "Kowalska", "Krüger", "Kumar", "Lambert", "Larsen", "Lee", "Lefèvre",
	"Lindqvist",
	"Lopez", "Lundgren", "Machado", "Maier", "Marchetti", "Mbeki", "McAllister", "Mehta", "Mendoza", "Meyer", "Mishra", "Molina", "Moreau",
	"Moretti",
	"Müller", "Nakamura", "Navarro", "Nguyen", "Nkosi", "Novák", "Núñez", "O’Brien", "O’Connell", "Okafor", "Okoye", "Olsen", "Ortega",
	"Osei",
	"Park", "Patel", "Pereira", "Petrov", "Pham", "Popescu", "Quinn", "Ramirez", "Rao", "Reyes", "Ricci", "Rojas", "Rossi", "Saito",
	"Salazar",
	"Santos", "Sato", "Schneider", "Sharma", "Silva", "Singh", "Sørensen", "Suzuki", "Svensson", "Takahashi", "Tanaka", "Torres", "Tran",
	"Vargas",
}

// Most surnames are combined from a beginning and an end, which gives thousands.
var beginnings = [...]string{
	"Alder", "Arn", "Ash", "Bar", "Beck", "Ber", "Birch", "Black", "Bram", "Brook", "Cald", "Carl", "Chad", "Clay", "Cran", "Cross", "Dal",
	"Dun", "East",
	"Ed", "Eld", "Elm", "Ems", "Fair", "Fal", "Farn", "Fen", "Gar", "Gil", "Glen", "Gold", "Grun", "Hal", "Harl", "Hart", "Hazel", "Hol",
	"Horn", "Kel",
	"Kirk", "Lang", "Lin", "Lock", "Mal", "Mar", "Mel", "Mill", "Nether", "New", "Nor", "Oak", "Old", "Pem", "Quar", "Rad", "Ring", "Ros",
	"Sand", "Sel",
	"Sil", "Stan", "Stock", "Sun", "Thorn", "Tor", "Under", "Val", "Wal", "West", "Wil", "Wind", "Wolf", "Wood", "York",
}

var endings = [...]string{
	"acre", "beck", "berg", "borg", "bourne", "bridge", "brook", "bury", "combe", "cott", "croft", "dahl", "dale", "den", "feld", "field",
	"ford",
	"gard", "gate", "grave", "ham", "hart", "hof", "holm", "hurst", "land", "leigh", "ley", "low", "lund", "man", "mark", "mere", "mont",
	"more",
	"quist", "ridge", "rick", "sen", "shaw", "son", "stad", "stein", "stone", "strom", "ton", "vale", "vik", "wald", "ward", "well", "wick",
	"worth",
}

// lastNames is how many surnames there are.
const lastNames = len(surnames) + len(beginnings)*len(endings)

func surname(n int) string {
	if n < len(surnames) {
		return surnames[n]
	}
	n -= len(surnames)
	return beginnings[n/len(endings)] + endings[n%len(endings)]
}

var firstNames = [...]string{
	"Aaliyah", "Adam", "Aisha", "Alejandro", "Amara", "Amélie", "Ana", "Andre", "Anika", "Arjun", "Beatriz", "Ben", "Brianna", "Caleb",
	"Camila",
	"Carlos", "Chloé", "Daniel", "Diego", "Elena", "Eli", "Elise", "Emma", "Ethan", "Fatima", "Félix", "Freya", "Gabriel", "Grace", "Hana",
	"Hannah",
	"Hiro", "Ibrahim", "Imani", "Isaac", "Isla", "Ivan", "Jada", "Jamal", "Jia", "Jonas", "José", "Julia", "Kai", "Karim", "Kenji", "Lara",
	"Leila",
	"Leo", "Lina", "Liam", "Lucía", "Malik", "Marcus", "Maria", "Mateo", "Maya", "Mei", "Mia", "Mohammed", "Nadia", "Naomi", "Nia", "Noah",
	"Noor",
	"Olivia", "Omar", "Oscar", "Paulo", "Priya", "Rafael", "Rania", "Renée", "Rosa", "Ruth", "Sami", "Sana", "Sofia", "Soren", "Tariq",
	"Tess", "Theo",
	"Tomás", "Uma", "Valentina", "Victor", "Wei", "Xavier", "Yara", "Yusuf", "Zara", "Zoë",
}

var remarks = [...]string{
	"", "", "", "", "", "Some highlighting in the first chapters.", "Never opened the second half.", "The access code was used.",
	"Spine is a little worn.",
	"Clean pages, my name on the inside cover.", "A few pencil notes in the margins, easy to erase.",
	"Water stain on the back cover, text is fine.",
	"Still in its wrap.", "International edition, same content.", "Can bring it to the library any weekday.",
	"Solutions to the odd problems pencilled in.",
	"Bought it, dropped the course.", "Corners bent from the backpack.", "Comes with the formula sheet.\nMeet me at the student union.",
}

var reasons = [...]string{
	"The book was not as described.", "The seller did not bring the book.", "The buyer changed courses and asked to cancel.",
	"The book was lost on its way.",
}

// The words of reports.
const (
	reportedBook  = "This is not the book but a bound photocopy of it. You can see it in the margins."
	reportedOrder = "I looked at the book when I came for it. Pages 211 to 226 are missing. The listing does not say so, and I would like my money back."
)
