package web_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/fake"
)

func TestASellerCropsAPhotoAndSeesItEverywhere(t *testing.T) {
	c := newCampus(t)
	ann := c.student("ann")
	id := ann.offers("Calculus", "40")
	photos := ann.sendFiles(id, string(fake.Picture), string(fake.Picture))
	before := photoPaths.FindString(photos.body)
	form := ann.open(photos.link("Crop")).shows(200, "<h1>Crop the photo</h1>", `viewBox="350 0 900 1200"`)
	one := form.hidden("photo")
	ann.open("/book/photos/crop?id="+id+"&photo="+one+"&x=0&y=100&size=50").shows(200, `viewBox="0 600 450 600"`)
	ann.open("/book/photos/crop?id="+id+"&photo="+one+"&x=-1&size=1000").shows(200, `viewBox="350 0 900 1200"`)
	ann.send("/book/photos/crop", "id", id, "photo", one, "x", "0", "y", "100", "size", "10").shows(400, "Choose a part within the photo.")
	c.student("eve").open("/book/photos/crop?id=" + id).shows(403)
	c.student("mia").send("/book/photos/crop", "id", id, "photo", one, "x", "0", "y", "0", "size", "50").shows(403)
	done := ann.send("/book/photos/crop", "id", id, "photo", one, "x", "0", "y", "100", "size", "50").shows(200, "The photo is cropped.", "You can add 3 more photos.")
	after := photoPaths.FindString(done.body)
	if before == after || after == "" {
		t.Errorf("the cropped cover is %s, it was %s", after, before)
	}
	c.visitor().open("/book?id="+id).shows(200, after).lacks(before)
	ann.send("/book/photos/crop", "id", id, "photo", one, "x", "0", "y", "100", "size", "50").shows(200, "The photo has been changed or removed meanwhile.").lacks("The photo is cropped.") // pressed twice
	ann.open("/book/photos/crop?id="+id+"&photo="+strings.Split(after, "/")[2]).shows(200, `viewBox="0 0 450 600"`)
}
